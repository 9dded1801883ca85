import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addSandboxTokens } from '../../fixtures/sandbox-tokens.ts';
import { openStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ settings: { TOKENS_ON_REQUEST: 'on', COINGECKO_CALLS_PER_MINUTE: '100000' } });
  await addSandboxTokens(stand.database.prisma, 300);
  await stand.parts.catalogue.sync();
});
afterAll(() => stand.close());

const calls = () => stand.sandbox.countCalls('');

test('500 IDs, of which none is known, are one free response without a call', async () => {
  await stand.json('/simple/price?ids=nope&vs_currencies=usd');
  stand.sandbox.clearCalls();
  const ids = Array.from({ length: 500 }, (_, i) => `nothing-${i}`);
  const before = await stand.used();
  expect(await stand.json(`/simple/price?ids=${ids.join()}&vs_currencies=usd`)).toEqual({});
  expect([calls(), await stand.used()]).toEqual([0, before]);
});

test('300 coins in all currencies are one response', async () => {
  const ids = stand.parts.catalogue.all().map(({ name }) => name);
  const codes = await stand.json<string[]>('/simple/supported_vs_currencies');
  const before = await stand.used();
  const path = `/simple/price?ids=${ids.join()}&vs_currencies=${codes.join()}&include_market_cap=true`;
  const prices = await stand.json<Record<string, object>>(path);
  expect(Object.keys(prices)).toHaveLength(300);
  expect(await stand.used()).toBe(before + 30);
});

test('the work for a list of symbols, and for the free lists, does not grow with the symbols or the requests', async () => {
  const all = vi.spyOn(stand.parts.catalogue, 'all');
  const symbols = Array.from({ length: 1500 }, (_, n) => `n${n}`);
  expect(await stand.json(`/simple/price?vs_currencies=usd&symbols=${symbols.join()}`)).toEqual({});
  expect(all.mock.calls.length).toBeLessThan(5);
  const platforms = vi.spyOn(stand.parts.prices.coins, 'platforms');
  for (const [path, reads] of [
    ['/coins/list', all],
    ['/coins/list?include_platform=true', all],
    ['/asset_platforms', platforms],
  ] as const) {
    reads.mockClear();
    await Promise.all(Array.from({ length: 20 }, () => stand.json(path)));
    expect([path, reads.mock.calls.length]).toEqual([path, 1]);
  }
  vi.restoreAllMocks();
});

test('a URL of more than 8 KB is rejected in CoinGecko’s form', async () => {
  const response = await stand.request(`/simple/price?vs_currencies=usd&ids=${'bitcoin,'.repeat(1100)}`);
  expect([response.status, typeof JSON.parse(response.text).error]).toEqual([414, 'string']);
  const long = await stand.request(`/simple/price?vs_currencies=usd&ids=${'bitcoin,'.repeat(1000)}`);
  expect(Object.keys(JSON.parse(long.text))).toEqual(['bitcoin']);
});

test('a repeated parameter is rejected, and costs nothing', async () => {
  const before = await stand.used();
  for (const path of [
    '/simple/price?ids=bitcoin&ids=ethereum&vs_currencies=usd',
    '/simple/price?ids=bitcoin&vs_currencies=usd&vs_currencies=eur',
    '/coins/markets?vs_currency=usd&vs_currency=eur',
    '/coins/markets?vs_currency=usd&per_page=1&per_page=250',
    '/coins/bitcoin/market_chart?vs_currency=usd&days=1&days=max',
  ]) {
    const response = await stand.request(path);
    expect([path, response.status]).toEqual([path, 400]);
    expect(JSON.parse(response.text)).toEqual({ error: expect.stringContaining('more than once') });
  }
  expect(await stand.used()).toBe(before);
});

test('names of objects’ own members are unknown coins and currencies', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  expect(await stand.json(`/simple/price?ids=${names.join()}&vs_currencies=usd,${names.join()}`)).toEqual({});
  expect(await stand.json(`/simple/token_price/__proto__?contract_addresses=constructor&vs_currencies=usd`)).toEqual(
    {},
  );
  for (const name of names) expect((await stand.request(`/coins/${name}`)).status).toBe(404);
  expect((await stand.request('/coins/markets?vs_currency=constructor')).status).toBe(400);
});

test('no query makes an internal error', async () => {
  const paths = [
    ...['/simple/price', '/simple/token_price/ethereum', '/coins/markets', '/coins/bitcoin', '/coins/bitcoin/history'],
    ...[
      '/coins/bitcoin/market_chart',
      '/coins/bitcoin/market_chart/range',
      '/coins/bitcoin/ohlc',
      '/coins/list',
      '/search',
    ],
  ];
  const names = [
    ...[
      'ids',
      'vs_currencies',
      'vs_currency',
      'days',
      'from',
      'to',
      'interval',
      'precision',
      'order',
      'page',
      'per_page',
    ],
    ...['date', 'query', 'contract_addresses', 'price_change_percentage', 'sparkline', 'include_tokens', 'symbols'],
  ];
  const values = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      'bitcoin',
      'usd',
      'usd,eur',
      'max',
      '1e9',
      '-1',
      '0',
      '99999',
      '1791000000',
      '2026-01-01',
      '∞',
      '%00',
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.dictionary(fc.constantFrom(...names), values),
      async (path, query) => {
        const response = await stand.request(`${path}?${new URLSearchParams(query)}`);
        expect([path, query, response.status]).not.toEqual([path, query, 500]);
        JSON.parse(response.text);
      },
    ),
    { numRuns: 50 },
  );
});
