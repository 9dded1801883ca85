import { describe, expect, test } from 'vitest';
import { createCatalogue } from '#catalogue/catalogue';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { startSandbox } from '#sandbox/server';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestCoinbase } from '../../support/upstream/exchange-source.ts';
import { haveRecordings, recording, recordingNames } from '../../support/upstream/recordings.ts';
import type { FakeResponse } from '../../support/upstream/upstream-server.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const NOW = '2026-05-15T14:10:06Z';
const upstream = useUpstreamServer();

const product = (id: string, changes: object = {}) => ({ id, quote_currency: 'USD', status: 'online', ...changes });
const PRODUCTS = [
  product('BTC-USD'),
  product('ETH-USD'),
  product('SOL-USD'),
  product('BTC-EUR', { quote_currency: 'EUR' }),
];
const json = (value: unknown, status = 200): FakeResponse => ({ status, body: JSON.stringify(value) });
type Responses = { products?: unknown; ticker?: (id: string) => FakeResponse; candles?: FakeResponse };

/** Coinbase with a list of products. By default, every ticker has the price 9, and there are no candles. */
function open({ products = PRODUCTS, ticker, candles = json([]) }: Responses = {}, now = NOW) {
  upstream.follow(({ path }) => {
    const [, id = '', kind] = /^\/products\/([^/]+)\/(\w+)$/.exec(path) ?? [];
    if (kind === 'ticker') return ticker?.(id) ?? json({ price: '9', time: '2026-05-15T14:09:59.016274911Z' });
    return kind === 'candles' ? candles : json(products);
  });
  const before = upstream.calls.length;
  const source = openTestCoinbase(upstream.url, { now });
  return { ...source, calls: () => upstream.calls.slice(before) };
}

test('latest prices take a call per token, have the time of the trade, and fail one by one', async () => {
  const gone = json({ message: 'NotFound' }, 404);
  const source = open({
    ticker: (id) => (id === 'ETH-USD' ? gone : json({ price: '9', time: id === 'SOL-USD' ? 7 : NOW })),
  });
  const quotes = await source.quotes(['bitcoin', 'ethereum', 'solana', 'arweave']);
  expect(quotes).toEqual([
    { token: 'bitcoin', price: 9, at: Date.parse(NOW) },
    { token: 'solana', price: 9, at: Date.parse(NOW) },
  ]);
  expect(source.lists('arweave')).toBe(false);
  await source.close();
  const none = open({ ticker: () => gone });
  await expect(none.quotes(['bitcoin', 'ethereum'])).rejects.toMatchObject({
    upstream: 'coinbase',
    reason: 'not_listed',
  });
  await none.close();
});

test.each([
  ['an unreadable price', json({ price: 'a lot' })],
  ['a price of 0', json({ price: '0' })],
  ['no price', json({})],
])('%s is a failure', async (_what, response) => {
  const source = open({ ticker: () => response });
  await expect(source.quotes(['bitcoin'])).rejects.toMatchObject({ reason: 'unexpected' });
  await source.close();
});

test.each([
  [{ status: 'delisted' }, 'delisted'],
  [{ status: 'offline' }, 'offline'],
  [{ trading_disabled: true, post_only: true }, 'trading_disabled'],
  [{ cancel_only: true }, 'cancel_only'],
])(
  'a product with %j has no latest price and is reported, and its past candles are requested',
  async (state, status) => {
    const source = open({ products: [product('BTC-USD', state)] });
    await expect(source.quotes(['bitcoin'])).rejects.toMatchObject({ reason: 'not_listed', sent: false });
    expect(source.untraded).toEqual([{ token: 'bitcoin', pair: 'BTC-USD', status }]);
    expect((await source.candles('bitcoin', 60)).candles).toEqual([]);
    expect(await source.pairOf('btc')).toMatchObject({ pair: 'BTC-USD', status });
    await source.close();
  },
);

test.each(['limit_only', 'post_only'])('a product that is %s is traded', async (flag) => {
  const source = open({ products: [product('BTC-USD', { [flag]: true })] });
  expect(await source.quotes(['bitcoin'])).toHaveLength(1);
  await source.close();
});

test('only a listed product in US dollars is found by its symbol or its own name', async () => {
  const source = open();
  for (const text of ['btc', 'BTC-USD'])
    expect(await source.pairOf(text)).toEqual({ pair: 'BTC-USD', status: 'online', price: 9 });
  for (const text of ['usd', 'BTC-EUR', 'doge']) expect(await source.pairOf(text)).toBeUndefined();
  await source.close();
});

const row = (at: number, changes: Partial<Record<number, unknown>> = {}) =>
  Object.assign([at / 1000, 1, 3, 2, 2.5, 7], changes);

test('candles are ascending, without the running one and those before the start, and one bad row affects only itself', async () => {
  const hour = Date.parse('2026-05-15T13:00:00Z');
  const rows = [
    row(hour + HOUR),
    row(hour),
    row(hour - HOUR, { 1: -1 }),
    row(hour - 2 * HOUR),
    row(hour - 3 * HOUR),
    'bad',
  ];
  const source = open({ candles: json(rows) });
  const from = hour - 2 * HOUR;
  const candle = { open: 2, high: 3, low: 1, close: 2.5, volume: 7 };
  expect(await source.candles('bitcoin', 60, from)).toEqual({
    candles: [
      { at: from, ...candle },
      { at: hour, ...candle },
    ],
    covers: { from, thru: hour + HOUR - 1 },
  });
  expect(source.dropped).toMatchObject([{ path: '/products/BTC-USD/candles', reasons: ['malformed', 'price'] }]);
  const { query } = source.calls().at(-1) ?? {};
  expect(query).toEqual({
    granularity: '3600',
    start: new Date(from).toISOString(),
    end: new Date(hour).toISOString(),
  });
  await source.close();
});

test.each([
  ['a 429', json({ message: 'Public rate limit exceeded' }, 429), 'rate_limited'],
  ['a 503', json({ message: 'Service Unavailable' }, 503), 'server_error'],
  ['a delisted product', json({ message: 'Not allowed for delisted products' }, 400), 'not_listed'],
  ['a rejected request', json({ message: 'Unsupported granularity' }, 400), 'refused'],
  ['an object instead of a list', json({}), 'unexpected'],
  ['too many candles', json(Array(601).fill([])), 'unexpected'],
  ['only malformed candles', json([7]), 'unexpected'],
])('%s has the cause %s', async (_what, candles, reason) => {
  const source = open({ candles });
  await expect(source.candles('bitcoin', 60)).rejects.toMatchObject({ upstream: 'coinbase', reason });
  await source.close();
});

test('a failure of one product pauses only its path, and maintenance pauses Coinbase', async () => {
  const source = open({ candles: json({}, 500) });
  for (let times = 0; times < 3; times++) await expect(source.candles('bitcoin', 60)).rejects.toThrow();
  await expect(source.candles('bitcoin', 60)).rejects.toMatchObject({ reason: 'resting' });
  expect(await source.quotes(['bitcoin'])).toHaveLength(1);
  await source.close();
  const down = open({ ticker: () => json({ message: 'Service Unavailable' }, 503) });
  for (let times = 0; times < 3; times++) await expect(down.quotes(['bitcoin'])).rejects.toThrow();
  await expect(down.candles('bitcoin', 60)).rejects.toMatchObject({ reason: 'resting' });
  await down.close();
});

test('many tokens are requested in groups, within the rate limit', async () => {
  const named = (n: number) => ({
    name: `token-${n}`,
    symbol: `t${n}`,
    title: '',
    statistics: false,
    pairs: { coinbase: `T${n}-USD` },
  });
  const tokens = Array.from({ length: 12 }, (_, n) => ({ ...named(n), begins: '2018-01-01', listed: '2018-01-01' }));
  open({ products: tokens.map(({ pairs }) => product(pairs.coinbase)) });
  const source = openTestCoinbase(upstream.url, { catalogue: createCatalogue(tokens) });
  expect(await source.quotes(tokens.map(({ name }) => name))).toHaveLength(12);
  await source.close();
});

test.each([
  [5, 'minute', 5 * MINUTE],
  [60, 'hour', HOUR],
  [1440, 'day', DAY],
] as const)(
  'the simulation accepts the requests for candles of %i minutes: two pages of 300',
  async (minutes, interval, length) => {
    const sandbox = await startSandbox({ clock: createTestClock(NOW) });
    const source = openTestCoinbase(sandbox.coinbaseUrl);
    const { candles, covers } = await source.candles('bitcoin', minutes);
    const running = Math.floor(Date.parse(NOW) / length) * length;
    expect(candles.map(({ at }) => at)).toEqual(Array.from({ length: 600 }, (_, i) => running - (600 - i) * length));
    expect(covers).toEqual({ from: running - 600 * length, thru: running - 1 });
    expect(source.reach(interval, running)).toBe(running - 600 * length);
    expect(sandbox.countCalls('/products/{id}/candles')).toBe(2);
    await source.close();
    await sandbox.close();
  },
);

describe.runIf(haveRecordings)('recorded responses of Coinbase', () => {
  const bodyOf = (name: string) => JSON.parse(String(recording('coinbase', name).body));
  const [ticker = '', list = ''] = recordingNames('coinbase')
    .filter((name) => /^(ticker|product)_/.test(name))
    .reverse();

  test('the ticker of a listed product', async () => {
    const source = open(
      { products: [bodyOf(list)], ticker: () => recording('coinbase', ticker) },
      '2026-06-19T16:44:00Z',
    );
    const at = Date.parse('2026-06-19T16:43:33.016Z');
    expect(await source.quotes(['bitcoin'])).toEqual([{ token: 'bitcoin', price: 63212.97, at }]);
    await source.close();
  });

  test('daily candles, the newest first', async () => {
    const name = 'candles_BTC-USD_86400_2026-08-17.json';
    const source = open({ candles: recording('coinbase', name) }, '2026-08-11T00:10:00Z');
    const { candles } = await source.candles('bitcoin', 1440, Date.parse('2026-08-01'));
    const rows = bodyOf(name) as number[][];
    const recorded = rows.map(([time = 0, low, high, open, close, volume]) => ({
      at: time * 1000,
      open,
      high,
      low,
      close,
      volume,
    }));
    expect(candles).toEqual(recorded.reverse());
    await source.close();
  });
});
