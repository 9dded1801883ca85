import { describe, expect, test } from 'vitest';
import { listedAt } from '#catalogue/catalogue';
import { BUILT_IN_NAMES, BUILT_IN_TOKENS, isTokenId, isTokenSymbol } from '#catalogue/token';
import { DAY } from '#core/clock';
import { COINGECKO_PLANS } from '#prices/sources/coingecko-plans';
import { answerCoingecko } from '#sandbox/coingecko';
import { PLANS } from '#sandbox/errors';
import { allPairs } from '#sandbox/kraken';
import { extremesAt, figuresAt } from '#sandbox/price-model';
import { sandboxToken, sandboxTokens } from '#sandbox/tokens';

const NOW = Date.parse('2026-05-15T14:42:25Z');
const all = [...sandboxTokens().values()];
const synthetic = all.filter(({ name }) => !BUILT_IN_NAMES.includes(name));

function responseOf(path: string, query: Record<string, string> = {}) {
  const request = { method: 'GET', path, query: new URLSearchParams(query), headers: {}, body: '' };
  const { status, body } = answerCoingecko(request, { seed: 1, plan: 'public', now: NOW, spent: 1 });
  return { status, body: JSON.parse(String(body)) };
}
const markets = (ids: readonly string[], query: Record<string, string> = {}): { id: string }[] =>
  responseOf('/coins/markets', { vs_currency: 'usd', ids: ids.join(','), ...query }).body;

test('the built-in tokens and the plans are those of the service', () => {
  for (const { statistics: _, ...token } of BUILT_IN_TOKENS) {
    expect(sandboxToken(token.name)).toMatchObject(token);
  }
  expect(Object.keys(PLANS)).toEqual(Object.keys(COINGECKO_PLANS));
  for (const [name, { historyDays, ...key }] of Object.entries(PLANS)) {
    const plan = COINGECKO_PLANS[name as keyof typeof PLANS];
    expect(plan.historyDays).toBe(historyDays);
    if (!('name' in key)) continue;
    const { name: title, ...budget } = key;
    expect(plan).toMatchObject({ budget, names: expect.arrayContaining([title]) });
  }
});

describe('the synthetic tokens', () => {
  test('are 1,000, each with a unique name and symbol', () => {
    expect(synthetic).toHaveLength(1000);
    for (const called of [all.map(({ name }) => name), all.map(({ symbol }) => symbol)]) {
      expect(new Set(called).size).toBe(1005);
    }
    expect(synthetic.every(({ name, symbol }) => isTokenId(name) && isTokenSymbol(symbol))).toBe(true);
    expect(synthetic[0]).toMatchObject({ name: 'albado', symbol: 'abd', title: 'Albado', listed: '2020-10-06' });
  });

  test('have a price since their listing, after the start of their chains', () => {
    for (const token of synthetic) {
      expect(figuresAt(1, token.name, listedAt(token))?.price).toBeGreaterThan(0);
      expect(figuresAt(1, token.name, NOW)?.volume).toBeGreaterThan(0);
      expect(token.begins <= token.listed).toBe(true);
    }
    expect(figuresAt(1, 'albado', listedAt(sandboxToken('albado') as { listed: string }) - 1)).toBeNull();
  });

  test('200 have a pair at Kraken, traded since their listing', () => {
    const pairs = allPairs().filter(({ token }) => !BUILT_IN_NAMES.includes(token));
    expect(pairs).toHaveLength(200);
    for (const { token, name, since } of pairs) {
      expect(sandboxToken(token)).toMatchObject({ pair: name });
      expect(since).toBe(listedAt(sandboxToken(token) as { listed: string }));
    }
  });
});

describe('CoinGecko', () => {
  test('returns a page of 100 coins, or of the requested number up to 250', () => {
    const ids = synthetic.map(({ name }) => name);
    expect(markets(ids)).toHaveLength(100);
    const first = markets(ids, { per_page: '250' }).map(({ id }) => id);
    const second = markets(ids, { per_page: '250', page: '2' }).map(({ id }) => id);
    expect(new Set([...first, ...second]).size).toBe(500);
    expect(markets(ids, { per_page: '1000' })).toHaveLength(250);
    expect(markets(['albado', 'nothing', 'bitcoin']).map(({ id }) => id)).toEqual(['bitcoin', 'albado']);
  });

  test('returns the name of a coin, its genesis date and the date of its all-time high', () => {
    expect(responseOf('/coins/albado').body).toMatchObject({
      ...{ id: 'albado', symbol: 'abd', name: 'Albado', genesis_date: sandboxToken('albado')?.begins },
      market_data: { ath_date: { usd: expect.stringMatching(/^20\d\d-/) } },
    });
    expect(responseOf('/coins/albaka').body.genesis_date).toBeNull();
    expect(responseOf('/coins/nothing')).toEqual({ status: 404, body: { error: 'coin not found' } });
  });

  test('lists all coins, and finds coins whose names contain a text', () => {
    expect(responseOf('/coins/list').body).toHaveLength(1005);
    expect(responseOf('/search', { query: 'ALBAD' }).body.coins).toMatchObject([{ id: 'albado', symbol: 'ABD' }]);
    expect(responseOf('/search', { query: 'nothing of that kind' }).body.coins).toEqual([]);
  });
});

test('the extremes do not depend on previous requests', () => {
  const at = (days: number) => Math.floor(NOW / DAY) * DAY - days * DAY;
  const fresh = extremesAt(7, 'albado', at(0), NOW);
  extremesAt(8, 'albado', at(10), at(9));
  extremesAt(8, 'albado', at(400), at(399));
  extremesAt(8, 'albado', at(5), at(4));
  expect(extremesAt(7, 'albado', at(0), NOW)).toEqual(fresh);
  expect(extremesAt(7, 'albado', at(400), at(399))?.high.at).toBeLessThanOrEqual(at(399));
});
