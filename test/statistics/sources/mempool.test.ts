import { expect, test } from 'vitest';
import { openMempool } from '#statistics/sources/bitcoin';
import { sampleFrom } from '../../support/upstream/statistics-source.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

/** Responses in the format of mempool.space/docs/api/rest. The values are synthetic. */
const RESPONSES: Record<string, unknown> = {
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

const upstream = useUpstreamServer();

const sampled = (changes: Record<string, unknown> = {}) =>
  sampleFrom(upstream, [openMempool, 'btc', '/api'], ({ path }) => {
    const response = { ...RESPONSES, ...changes }[path];
    return response === undefined ? { status: 404, body: 'Not Found' } : { body: JSON.stringify(response) };
  });

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
    Object.keys(RESPONSES).map((path) => `GET ${path}`),
  );
});

test('has a null block time before the first block since the difficulty adjustment', async () => {
  const adjustment = { timeAvg: 600_000, remainingBlocks: 2016 };
  const { figures } = await sampled({ '/api/v1/difficulty-adjustment': adjustment });
  expect(Object.keys(figures)).toEqual(['block_height', 'hashrate', 'difficulty']);
});

test.each<[string, Record<string, unknown>, string[]]>([
  ['a height with a fraction', { '/api/blocks/tip/height': 900_123.5 }, ['block_height']],
  ['a negative height', { '/api/blocks/tip/height': -1 }, ['block_height']],
  ['a height in words', { '/api/blocks/tip/height': 'high' }, ['block_height']],
  ['an object instead of the height', { '/api/blocks/tip/height': { height: 5 } }, ['block_height']],
  ['a missing hash rate', { '/api/v1/mining/hashrate/3d': { currentDifficulty: 5 } }, ['hashrate']],
  ['a negative time', { '/api/v1/difficulty-adjustment': { timeAvg: -1 } }, ['block_time']],
  ['no mining statistics', { '/api/v1/mining/hashrate/3d': undefined }, ['hashrate', 'difficulty']],
])('%s affects only its own figures', async (_name, changes, lacking) => {
  const names = Object.keys((await sampled()).figures).filter((name) => !lacking.includes(name));
  expect(Object.keys((await sampled(changes)).figures)).toEqual(names);
});
