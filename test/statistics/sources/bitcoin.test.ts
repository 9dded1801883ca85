import { expect, test } from 'vitest';
import { openBitcoinStats } from '#statistics/sources/bitcoin';
import { sampleFrom } from '../../support/upstream/statistics-source.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

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

const upstream = useUpstreamServer();

const sampled = (response: object) =>
  sampleFrom(upstream, [openBitcoinStats, 'btc', '/'], () => ({ body: JSON.stringify(response) }));

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

test.each<[string, object, string]>([
  ['a negative value', { difficulty: -1 }, 'difficulty'],
  ['a fraction of a transaction', { n_tx: 1.5 }, 'transaction_count'],
  ['a count beyond all limits', { n_tx: '9'.repeat(30) }, 'transaction_count'],
  ['words', { hash_rate: 'a lot' }, 'hashrate'],
  ['a list', { totalbc: [1] }, 'current_supply'],
])('%s affects only its own figure', async (_name, change, lacking) => {
  const names = Object.keys((await sampled(DOCUMENTED)).figures).filter((name) => name !== lacking);
  const { figures, malformed } = await sampled({ ...DOCUMENTED, ...change });
  expect([Object.keys(figures), malformed]).toEqual([names, [lacking]]);
});

test.each([
  ['no time', { ...DOCUMENTED, timestamp: undefined }, 'unexpected'],
  ['an invalid time', { ...DOCUMENTED, timestamp: 0 }, 'unexpected'],
  ['only the time', { timestamp: DOCUMENTED.timestamp }, 'empty'],
  ['a list', [DOCUMENTED], 'unexpected'],
  ['an error with status 200', { error: 'not-found-or-invalid-arg' }, 'refused'],
])('%s is a failure', async (_name, response, reason) => {
  await expect(sampled(response)).rejects.toMatchObject({ upstream: 'bitcoin-stats', reason });
});
