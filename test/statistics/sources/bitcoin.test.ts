import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBitcoinStats } from '#statistics/sources/bitcoin';
import { openTestStatistics } from '../../support/upstream/statistics-source.ts';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

/** The response of 12 May 2019 with which public descriptions explain the API, without the prices. */
const DOCUMENTED = {
  timestamp: 1557646525000,
  hash_rate: 44977500727.36728,
  total_fees_btc: 11648437530,
  n_btc_mined: 168750000000,
  n_tx: 335667,
  n_blocks_mined: 135,
  minutes_between_blocks: 9.8507,
  totalbc: 1769555000000000,
  n_blocks_total: 575644,
  estimated_transaction_volume_usd: 985067994.1395454,
  blocks_size: 164076254,
  nextretarget: 576575,
  difficulty: 6702169884349,
  estimated_btc_sent: 13507089623837,
  total_btc_sent: 112633530925902,
};

let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ body: '{}' }));
});
afterAll(() => upstream.close());

async function sampled(answer: object) {
  upstream.follow(() => ({ body: JSON.stringify(answer) }));
  const source = openTestStatistics(openBitcoinStats, `${upstream.url}/`);
  try {
    return await source.sample('btc');
  } finally {
    await source.close();
  }
}

test('reads the documented response, in the service’s units', async () => {
  expect(await sampled(DOCUMENTED)).toEqual({
    at: Date.parse('2019-05-12T07:35:25Z'),
    figures: {
      block_height: 575644,
      hashrate: 44977500.72736728,
      difficulty: 6702169884349,
      block_time: 591.042,
      block_size: 1215380,
      current_supply: 17695550,
      transaction_count: 335667,
    },
  });
  expect(upstream.calls.at(-1)).toMatchObject({ method: 'GET', path: '/stats', query: { format: 'json' } });
});

test('omits a value that is missing, null or zero', async () => {
  const { hash_rate: _, ...rest } = DOCUMENTED;
  const { figures } = await sampled({ ...rest, n_blocks_mined: 0, n_tx: null, n_blocks_total: 0 });
  expect(Object.keys(figures)).toEqual(['difficulty', 'block_time', 'current_supply']);
});

test.each([
  ['a negative value', { ...DOCUMENTED, difficulty: -1 }, 'unexpected'],
  ['a fraction of a transaction', { ...DOCUMENTED, n_tx: 1.5 }, 'unexpected'],
  ['a count beyond all limits', { ...DOCUMENTED, n_tx: '9'.repeat(30) }, 'unexpected'],
  ['words', { ...DOCUMENTED, hash_rate: 'a lot' }, 'unexpected'],
  ['no time', { ...DOCUMENTED, timestamp: undefined }, 'unexpected'],
  ['an invalid time', { ...DOCUMENTED, timestamp: 0 }, 'unexpected'],
  ['only the time', { timestamp: DOCUMENTED.timestamp }, 'empty'],
  ['a list', [DOCUMENTED], 'unexpected'],
  ['an error with status 200', { error: 'not-found-or-invalid-arg' }, 'refused'],
])('%s is a failure', async (_name, answer, reason) => {
  await expect(sampled(answer)).rejects.toMatchObject({ upstream: 'bitcoin-stats', reason });
});
