import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { HOUR } from '#core/clock';
import { openTestKraken } from '../../support/upstream/exchange-source.ts';
import type { Script } from '../../support/upstream/upstream-server.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const sample = (name: string) => readFileSync(new URL(`../../samples/kraken/${name}`, import.meta.url), 'utf8');
const at = (iso: string) => Date.parse(iso);

const upstream = useUpstreamServer();

type Source = ReturnType<typeof openTestKraken>;
type Bodies = { '/AssetPairs'?: string; '/OHLC'?: string; '/Ticker'?: string };

/** Responds to each path with a body, by default with synthetic samples. */
const serving =
  (bodies: Bodies = {}): Script =>
  ({ path }) => ({
    body: {
      ...{ '/AssetPairs': sample('asset_pairs.json'), '/OHLC': sample('ohlc_day.json') },
      ...{ '/Ticker': sample('ticker.json') },
      ...bodies,
    }[path as keyof Bodies] as string,
  });

async function requested<T>(bodies: Bodies, ask: (source: Source) => Promise<T>) {
  upstream.follow(serving(bodies));
  const source = openTestKraken(upstream.url);
  const before = upstream.calls.length;
  try {
    const received = await ask(source);
    const { dropped, untraded } = source;
    return { received, dropped, untraded, calls: upstream.calls.slice(before) };
  } finally {
    await source.close();
  }
}
const days = (source: Source) => source.candles('bitcoin', 1440);
const ohlc = (rows: unknown[], last = 1_778_716_800, name = 'XXBTZUSD') =>
  JSON.stringify({ error: [], result: { [name]: rows, last } });
const row = (time: number, changes: Partial<Record<number, unknown>> = {}) =>
  Object.assign([time, '100.0', '110.0', '90.0', '105.0', '101.0', '5.5', 3], changes);

describe('candles', () => {
  test('are the finished candles, the later of duplicates, and none before the listing', async () => {
    const { received, dropped, calls } = await requested({}, days);
    expect(received.candles).toEqual([
      {
        at: at('2026-05-08'),
        open: 80010.1,
        high: 81200,
        low: 79950.5,
        close: 81000.2,
        volume: 1204.5006007,
      },
      { at: at('2026-05-09'), open: 81000.2, high: 81000.2, low: 81000.2, close: 81000.2, volume: 0 },
      { at: at('2026-05-10'), open: 81000.2, high: 81500.9, low: 80700, close: 80900.4, volume: 10.6 },
      {
        at: at('2026-05-12'),
        open: 80900.4,
        high: 82345.123456789,
        low: 80900.4,
        close: 82000,
        volume: 900.12345678,
      },
    ]);
    expect(dropped).toEqual([{ path: '/OHLC?pair=XXBTZUSD', count: 1, reasons: ['price'] }]);
    expect(calls.map(({ path, query }) => [path, query])).toEqual([
      ['/AssetPairs', {}],
      ['/OHLC', { pair: 'XXBTZUSD', interval: '1440' }],
    ]);
  });

  test('of a short response are all that Kraken keeps up to the end of the newest', async () => {
    const { received } = await requested({}, days);
    expect(received.covers).toEqual({ from: at('2026-05-15') - 720 * 24 * HOUR, thru: at('2026-05-15') - 1 });
  });

  test('from an instant on are requested from a second before, and earlier ones are dropped', async () => {
    const from = at('2026-05-10');
    const { received, calls } = await requested({}, (source) => source.candles('bitcoin', 1440, from));
    expect(calls.at(-1)?.query.since).toBe(String(from / 1000 - 1));
    expect(received.candles.map((candle) => candle.at)).toEqual([from, at('2026-05-12')]);
    expect(received.covers).toEqual({ from, thru: at('2026-05-15') - 1 });
  });

  // Hours after the newest finished candle would otherwise count as covered, and never be requested.
  test.each([
    ['as text', '1778716800'],
    ['in the future', 1_778_803_200],
    ['years ahead', 4_102_444_800],
    ['in milliseconds', 1_778_716_800_000],
  ])('cover only the past if the newest time is %s', async (_what, last) => {
    const body = JSON.stringify({ error: [], result: { XXBTZUSD: [row(1_778_716_800)], last } });
    const { received } = await requested({ '/OHLC': body }, days);
    expect(received.candles).toHaveLength(1);
    expect(received.covers).toEqual({ from: at('2026-05-15') - 720 * 24 * HOUR, thru: at('2026-05-15') - 1 });
  });

  test.each([0, 1_778_716])('are a failure if the newest time is long before them: %d', async (last) => {
    const rows = [row(1_778_630_400), row(1_778_716_800), row(1_778_803_200)];
    await expect(requested({ '/OHLC': ohlc(rows, last) }, days)).rejects.toMatchObject({ reason: 'unexpected' });
  });

  test('can use the newer name of their pair, but no other name', async () => {
    const rows = [row(1_778_716_800)];
    const newer = await requested({ '/OHLC': ohlc(rows, 1_778_716_800, 'BTC/USD') }, days);
    expect(newer.received.candles).toHaveLength(1);
    const other = requested({ '/OHLC': ohlc(rows, 1_778_716_800, 'XETHZUSD') }, days);
    await expect(other).rejects.toMatchObject({ reason: 'unexpected' });
  });

  test('are empty if none is finished yet, and nothing later is known', async () => {
    const from = at('2026-05-15');
    const { received } = await requested({ '/OHLC': ohlc([row(1_778_803_200)]) }, (source) =>
      source.candles('bitcoin', 1440, from),
    );
    expect(received).toEqual({ candles: [], covers: undefined });
  });

  test.each<[string, Partial<Record<number, unknown>>, string]>([
    ['a price of 0', { 3: '0.0' }, 'price'],
    ['a price below 0', { 3: '-90.0' }, 'price'],
    ['an infinite price', { 2: '1e999' }, 'price'],
    ['a high below the close', { 2: '104.0' }, 'price'],
    ['a low above the open', { 3: '100.5' }, 'price'],
    ['a volume below 0', { 6: '-1' }, 'price'],
    ['a start off its boundary', { 0: 1_778_630_401 }, 'off_grid'],
    ['an end before the token was listed', { 0: 86_400 }, 'too_early'],
    ['an end in the future', { 0: 1_778_803_200 }, 'too_late'],
  ])('with %s are dropped and counted', async (_name, changes, reason) => {
    const rows = [row(1_778_630_400, changes), row(1_778_716_800)];
    const { received, dropped } = await requested({ '/OHLC': ohlc(rows, 1_778_889_600) }, days);
    expect(received.candles.map((candle) => candle.at)).toEqual([1_778_716_800_000]);
    expect(dropped).toEqual([{ path: '/OHLC?pair=XXBTZUSD', count: 1, reasons: [reason] }]);
  });

  test('are a failure of the source if all are implausible', async () => {
    const rows = [row(1_778_716_800, { 3: '0.0' })];
    await expect(requested({ '/OHLC': ohlc(rows) }, days)).rejects.toMatchObject({ reason: 'unexpected' });
  });

  test.each([
    ['a word as a value', ohlc([row(1_778_716_800, { 1: 'a lot' })])],
    ['an object as a row', ohlc([{}])],
    ['a row that is too short', ohlc([[1_778_716_800, '1', '1', '1', '1', '1']])],
    ['a string as a time', ohlc([row(0, { 0: '1778716800' })])],
    ['an invalid time', ohlc([row(0, { 0: 9e12 })])],
    ['no newest time', '{"error":[],"result":{"XXBTZUSD":[]}}'],
    ['a list as the result', '{"error":[],"result":[]}'],
    ['no result', '{"error":[]}'],
    ['too many rows', ohlc(Array(2001).fill([]))],
  ])('with %s are an invalid response', async (_name, body) => {
    await expect(requested({ '/OHLC': body }, days)).rejects.toMatchObject({ reason: 'unexpected' });
  });
});

describe('prices', () => {
  test('are the last trades of online pairs, in one call', async () => {
    const tokens = ['bitcoin', 'ethereum', 'usd-coin', 'solana', 'arweave'] as const;
    const { received, untraded, calls } = await requested({}, (source) => source.quotes(tokens));
    const now = at('2026-05-15T14:10:06Z');
    expect(received).toEqual([
      { token: 'bitcoin', price: 82051, at: now },
      { token: 'usd-coin', price: 0.99971234, at: now },
    ]);
    expect(calls.map(({ query }) => query)).toEqual([{}, { pair: 'XXBTZUSD,USDCUSD,SOLUSD' }]);
    expect(untraded).toEqual([
      { token: 'ethereum', pair: 'XETHZUSD', status: 'cancel_only' },
      { token: 'arweave', pair: 'ARUSD', status: 'gone' },
    ]);
  });

  test('as samples are the closing prices at the ends of candles, days at midnight', async () => {
    const { received } = await requested({}, (source) => source.samples('bitcoin', 'day', at('2026-05-10')));
    const figures = { marketCap: null, volume: null };
    expect(received).toEqual([
      { at: at('2026-05-10'), price: 81000.2, ...figures },
      { at: at('2026-05-11'), price: 80900.4, ...figures },
      { at: at('2026-05-13'), price: 82000, ...figures },
    ]);
  });

  test('are requested by their configured pairs if the list of pairs is empty', async () => {
    const lists = { '/AssetPairs': '{"error":[],"result":{}}' };
    const { received, untraded } = await requested(lists, (source) => source.quotes(['bitcoin']));
    expect(received).toMatchObject([{ token: 'bitcoin', price: 82051 }]);
    expect(untraded).toEqual([]);
  });

  test.each([
    ['none of the pairs', '{"error":[],"result":{"XXBTZEUR":{"c":["1","1"]}}}', 'empty'],
    ['a pair without a trade', '{"error":[],"result":{"XXBTZUSD":{"c":[]}}}', 'unexpected'],
    ['a price of 0', '{"error":[],"result":{"XXBTZUSD":{"c":["0.0","1"]}}}', 'unexpected'],
  ])('with %s are a failure', async (_name, body, reason) => {
    const quotes = requested({ '/Ticker': body }, (source) => source.quotes(['bitcoin']));
    await expect(quotes).rejects.toMatchObject({ upstream: 'kraken', reason });
  });
});

test.each([
  ['EQuery:Unknown asset pair', 'not_listed'],
  ['EGeneral:Too many requests', 'rate_limited'],
  ['EAPI:Rate limit exceeded', 'rate_limited'],
  ['EService:Unavailable', 'server_error'],
  ['EService:Busy', 'server_error'],
  ['EGeneral:Invalid arguments', 'refused'],
  ['EAnything:Else', 'refused'],
])('the error %s with status 200 is %s', async (error, reason) => {
  const body = JSON.stringify({ error: ['WGeneral:Beside it', error] });
  await expect(requested({ '/OHLC': body }, days)).rejects.toMatchObject({ upstream: 'kraken', reason });
});

describe('the list of pairs', () => {
  test('is requested once an hour, and a change is logged once', async () => {
    upstream.follow(serving());
    const source = openTestKraken(upstream.url);
    const before = upstream.calls.length;
    const lists = () => upstream.calls.slice(before).filter(({ path }) => path === '/AssetPairs').length;
    await Promise.all([days(source), days(source), source.quotes(BUILT_IN_NAMES)]);
    await expect(source.candles('arweave', 60)).rejects.toMatchObject({ reason: 'not_listed', sent: false });
    expect(lists()).toBe(1);
    source.clock.advance(HOUR);
    await days(source);
    expect(lists()).toBe(2);
    expect(source.untraded).toHaveLength(2);
    await source.close();
  });

  test('that cannot be read does not change the known pairs', async () => {
    const { received } = await requested({ '/AssetPairs': '{"error":[],"result":7}' }, days);
    expect(received.candles).toHaveLength(4);
  });
});

describe('the pair of a symbol', () => {
  const pairOf = (text: string) => requested({}, (source) => source.pairOf(text));

  test.each([
    ['btc', 'XXBTZUSD'],
    ['BTC', 'XXBTZUSD'],
    ['xbtusd', 'XXBTZUSD'],
    ['XXBTZUSD', 'XXBTZUSD'],
    ['sol', 'SOLUSD'],
    ['SOL/USD', 'SOLUSD'],
  ])('%s is %s', async (text, pair) => {
    expect((await pairOf(text)).received).toMatchObject({ pair, status: 'online' });
  });

  test('has the price of its last trade, if Kraken sends one', async () => {
    expect((await pairOf('btc')).received?.price).toBe(82051);
    expect((await pairOf('usdc')).received?.price).toBe(0.99971234);
    expect((await pairOf('sol')).received?.price).toBeUndefined();
  });

  test('has its status, and is undefined if Kraken has no US dollar pair', async () => {
    expect((await pairOf('eth')).received).toMatchObject({ pair: 'XETHZUSD', status: 'cancel_only' });
    expect((await pairOf('ar')).received).toBeUndefined();
    expect((await pairOf('usd')).received).toBeUndefined();
  });
});
