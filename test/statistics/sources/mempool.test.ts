import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMempool } from '#statistics/sources/bitcoin';
import { openTestStatistics } from '../../support/upstream/statistics-source.ts';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

/** Responses in the format of mempool.space/docs/api/rest. The values are synthetic. */
const ANSWERS: Record<string, unknown> = {
  '/api/blocks/tip/height': 900_123,
  '/api/v1/difficulty-adjustment': {
    progressPercent: 50.1,
    difficultyChange: 0.78,
    remainingBlocks: 1005,
    nextRetargetHeight: 901_152,
    timeAvg: 596_239,
    adjustedTimeAvg: 597_000,
    expectedBlocks: 1004.2,
  },
  '/api/v1/mining/hashrate/3d': {
    hashrates: [{ timestamp: 1652486400, avgHashrate: 236499762108771800000 }],
    difficulty: [{ time: 1652468330, difficulty: 31251101365711.12, height: 736249, adjustment: 1.05 }],
    currentHashrate: 252033247355212300000,
    currentDifficulty: 31251101365711.12,
  },
};

let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ body: '{}' }));
});
afterAll(() => upstream.close());

async function sampled(changes: Record<string, unknown> = {}) {
  upstream.follow(({ path }) => {
    const answer = { ...ANSWERS, ...changes }[path];
    return answer === undefined ? { status: 404, body: 'Not Found' } : { body: JSON.stringify(answer) };
  });
  const source = openTestStatistics(openMempool, `${upstream.url}/api`);
  try {
    return await source.sample('btc');
  } finally {
    await source.close();
  }
}

test('reads the three responses, in the service’s units', async () => {
  expect(await sampled()).toEqual({
    at: Date.parse('2026-05-15T14:10:06Z'),
    figures: {
      block_height: 900_123,
      hashrate: 252033247.3552123,
      difficulty: 31251101365711.12,
      block_time: 596.239,
    },
  });
  expect(upstream.calls.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    Object.keys(ANSWERS).map((path) => `GET ${path}`),
  );
});

test('has a null block time before the first block since the difficulty adjustment', async () => {
  const adjustment = { timeAvg: 600_000, remainingBlocks: 2016 };
  const { figures } = await sampled({ '/api/v1/difficulty-adjustment': adjustment });
  expect(Object.keys(figures)).toEqual(['block_height', 'hashrate', 'difficulty']);
});

test.each<[string, Record<string, unknown>, string]>([
  ['a height with a fraction', { '/api/blocks/tip/height': 900_123.5 }, 'unexpected'],
  ['a negative height', { '/api/blocks/tip/height': -1 }, 'unexpected'],
  ['a height in words', { '/api/blocks/tip/height': 'high' }, 'unexpected'],
  ['an object instead of the height', { '/api/blocks/tip/height': { height: 5 } }, 'unexpected'],
  ['a missing hash rate', { '/api/v1/mining/hashrate/3d': { currentDifficulty: 5 } }, 'unexpected'],
  ['a negative time', { '/api/v1/difficulty-adjustment': { timeAvg: -1 } }, 'unexpected'],
  ['no mining statistics', { '/api/v1/mining/hashrate/3d': undefined }, 'refused'],
])('%s is a failure', async (_name, changes, reason) => {
  await expect(sampled(changes)).rejects.toMatchObject({ upstream: 'bitcoin-mempool', reason });
});
