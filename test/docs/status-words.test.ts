import { expect, it } from 'vitest';
import { statusWords } from '#docs/status/status-page';
import { namesOf, OF_ALL_TOKENS } from '#prices/archive/archive-cache';
import { FAILURE_CAUSES } from '#upstream/failure';
import { type Warning, warningText } from '#upstream/freshness';

const SINCE = Date.parse('2026-11-21T10:05:00.000Z');

it.each<[Warning, text: string, subject: string, wrong: string]>([
  [
    { about: 'fetch', what: 'latest', cause: 'timeout' },
    'latest: timeout',
    'Latest prices',
    'CoinGecko did not respond in time.',
  ],
  [
    { about: 'fetch', what: 'kraken:hour:bitcoin', cause: 'unreachable' },
    'kraken:hour:bitcoin: unreachable',
    'History of the fallback source (bitcoin)',
    'Kraken is unreachable.',
  ],
  [
    { about: 'fetch', what: 'candles:solana:day', cause: 'not stored' },
    'candles:solana:day: not stored',
    'Candles (solana)',
    'The fetched data could not be stored.',
  ],
  [
    { about: 'fetch', what: 'statistics:btc', cause: 'resting' },
    'statistics:btc: resting',
    'On-chain statistics (btc)',
    'Their source has failed repeatedly and will be called again later.',
  ],
  [
    { about: 'statistics source', source: 'arweave-node-2', cause: 'server_error' },
    'arweave-node-2: server_error',
    'On-chain statistics',
    'An Arweave gateway returned an internal error.',
  ],
  [
    { about: 'plan', difference: 'the key has 30 calls a minute, not 500' },
    'coingecko: the key has 30 calls a minute, not 500',
    'The CoinGecko plan',
    'The key has 30 calls a minute, not 500.',
  ],
  [
    { about: 'failover', served: 'kraken', primary: 'coingecko', since: SINCE },
    'latest: kraken has been served instead of coingecko since 2026-11-21T10:05:00.000Z',
    'Latest prices',
    'Since 21 Nov 2026, 10:05:00 UTC, prices have come from Kraken instead of CoinGecko.',
  ],
  [
    {
      ...{ about: 'price', token: 'bitcoin', since: SINCE },
      ...{ before: { source: 'coingecko', price: 90 }, after: { source: 'kraken', price: 120 } },
    },
    'latest: bitcoin was 90 according to coingecko and 120 according to kraken at 2026-11-21T10:05:00.000Z',
    'The price of bitcoin',
    'When the source changed, CoinGecko reported 90, and Kraken reported 120.',
  ],
  [
    { about: 'node', node: 2, cause: 'timeout' },
    'node 2: timeout',
    'Node 2 of the chain',
    'The node did not respond in time.',
  ],
  [
    { about: 'node', node: 1, blocksBehind: 51 },
    'node 1: 51 blocks behind',
    'Node 1 of the chain',
    'The node is 51 blocks behind.',
  ],
  [
    { about: 'node', node: 1, otherChain: null },
    'node 1: on another chain (not reported)',
    'Node 1 of the chain',
    'The node belongs to another chain.',
  ],
])('%o has a text for programs and another for users', (warning, text, subject, wrong) => {
  expect(warningText(warning)).toBe(text);
  const [words, ...more] = statusWords([warning]);
  expect(words).toMatchObject({ subject, wrong });
  expect(words?.effect).toMatch(/^[A-Z].+\.$/);
  expect(more).toEqual([]);
});

it('describes every fetch and every cause', () => {
  const names = [...OF_ALL_TOKENS, ...namesOf('bitcoin')].filter(
    (what) => !/^(failover|retention|import|purge)/.test(what),
  );
  for (const what of [...names, 'rates', 'statistics:sol', 'candles:bitcoin:hour']) {
    for (const cause of [...FAILURE_CAUSES, 'not stored'] as const) {
      const [words] = statusWords([{ about: 'fetch', what, cause }]);
      expect(words?.subject, what).not.toBe(what);
      expect(words?.wrong, cause).toMatch(/^[A-Z][^_]+\.$/);
      expect(words?.effect, what).toMatch(/\.$/);
    }
  }
});

it('lists a failure that many tokens share once', () => {
  const tokens = Array.from({ length: 1000 }, (_, i) => `token-${i}`);
  const charts = tokens.map((token): Warning => ({ about: 'fetch', what: `chart:${token}`, cause: 'resting' }));
  const words = statusWords([...charts, { about: 'fetch', what: 'chart:bitcoin', cause: 'timeout' }]);
  expect(words.map(({ subject }) => subject)).toEqual([
    'Prices of the last day (token-0, token-1, token-2, token-3, token-4 and 995 more)',
    'Prices of the last day (bitcoin)',
  ]);
});
