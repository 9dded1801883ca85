import { expect, it } from 'vitest';
import { namesOf, OF_ALL_TOKENS } from '#prices/latest/latest-cache';
import { FAILURE_CAUSES } from '#upstream/failures/failure';
import { type Warning, warningText } from '#upstream/freshness';
import { statusWords } from '#web/status/status-words';

const SINCE = Date.parse('2026-11-21T10:05:00.000Z');

it('describes every fetch and every cause', () => {
  const names = [...OF_ALL_TOKENS, ...namesOf('bitcoin')].filter(
    (what) => !/^(failover|retention|import|purge|missing)/.test(what),
  );
  for (const what of [...names, 'rates', 'statistics:sol', 'candles:bitcoin:hour']) {
    for (const cause of [...FAILURE_CAUSES, 'not stored'] as const) {
      const [words] = statusWords([{ about: 'fetch', what, cause }], []);
      expect(words?.subject, what).not.toBe(what);
      expect(words?.wrong, cause).toMatch(/^[A-Z][^_]+\.$/);
      expect(words?.effect, what).toMatch(/\.$/);
    }
  }
});

it('lists a failure that many tokens share once', () => {
  const tokens = Array.from({ length: 1000 }, (_, i) => `token-${i}`);
  const charts = tokens.map((token): Warning => ({ about: 'fetch', what: `chart:${token}`, cause: 'resting' }));
  const words = statusWords([...charts, { about: 'fetch', what: 'chart:bitcoin', cause: 'timeout' }], []);
  expect(words.map(({ subject }) => subject)).toEqual([
    'Prices of the last day (token-0, token-1, token-2, token-3, token-4 and 995 more)',
    'Prices of the last day (bitcoin)',
  ]);
});

it('states that nothing is stored yet only for a component without data', () => {
  const effectOf = (what: string, dataAt: number | null) =>
    statusWords(
      [{ about: 'fetch', what, cause: 'timeout' }],
      [
        { name: 'prices', dataAt },
        { name: 'statistics', dataAt: SINCE },
      ],
    )[0]?.effect;
  expect(effectOf('latest', null)).not.toBe(effectOf('latest', SINCE));
  expect(effectOf('statistics:btc', null)).toBe(effectOf('statistics:btc', SINCE));
});

it('rounds prices, and writes small ones without an exponent', () => {
  const [before, after] = [
    { source: 'coingecko', price: 0.1 + 0.2 },
    { source: 'kraken', price: 1.25e-7 },
  ];
  const warning = { about: 'price', token: 'bitcoin', since: SINCE, before, after } as const;
  for (const text of [warningText(warning), statusWords([warning], [])[0]?.wrong]) {
    expect(text).toMatch(/\b0\.3\b/);
    expect(text).toContain('0.000000125');
  }
});
