import { afterEach, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND, startOfDate } from '#core/clock';
import type { LatestPrice } from '#prices/model/prices-records';
import type { Fault } from '#sandbox/faults';
import type { DataResponse } from '#server/responses/response-body';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket, timesOf } from '../../support/service/market.ts';

const COINGECKO = '/api/v3/';
const KRAKEN = '/0/public/';
const COINBASE = '/coinbase/';
const DOWN: Fault = { kind: 'status', status: 503 };

let clock: TestClock;
let opened: TestMarket;
afterEach(() => opened.close());

async function open(order: string) {
  clock = createTestClock('2026-05-15T14:10:06Z');
  const settings = { COINGECKO_REFRESH: 'latest=1m', MARKET_SOURCES: order, UPSTREAM_TIMEOUT_MS: '20000' };
  opened = await openTestMarket(clock, { env: settings });
  return opened;
}

function down(...paths: string[]): void {
  opened.sandbox.faults.clear();
  for (const path of paths) opened.sandbox.faults.always(DOWN, { path });
}

const nameOf = ({ source }: DataResponse): string => source.replace(/[;,].*/, '');
const priceIn = ({ body }: DataResponse) => (JSON.parse(String(body.identity.payload)) as LatestPrice).current_price;

/** Requests a price at intervals until a condition holds, twice each, so that a refresh in the background counts. */
async function until(holds: (response: DataResponse) => boolean, most: number, step = 25 * SECOND): Promise<void> {
  const token = 'bitcoin';
  for (let passed = 0; passed <= most; passed += step) {
    await opened.market.latest(token);
    await opened.market.idle();
    if (holds(await opened.market.latest(token))) return;
    clock.advance(step);
  }
  throw new Error(`not within ${most} ms`);
}
const isFrom = (source: string) => (response: DataResponse) => nameOf(response) === source;

test('if two sources are down, the third one takes over within 125 s, and each returns in order', async () => {
  const { market, openAnother } = await open('coingecko,kraken,coinbase');
  const good = await market.latest('bitcoin');
  expect(nameOf(good)).toBe('coingecko');
  down(COINGECKO, KRAKEN);
  await until(isFrom('coinbase'), 125 * SECOND);
  const third = await market.latest('bitcoin');
  expect(third.source).toMatch(/^coinbase;age=\d+, coingecko;age=\d+$/);
  expect(third.outcome.failure).toBeUndefined();
  expect(priceIn(third) / priceIn(good)).toBeCloseTo(1, 1);
  const other = await openAnother();
  expect(nameOf(await other.market.latest('bitcoin'))).toBe('coinbase');
  expect(opened.sandbox.countCalls('/products/{id}/candles')).toBe(0);

  down(COINGECKO);
  await until(isFrom('kraken'), 10 * MINUTE);
  down();
  await until(isFrom('coingecko'), 10 * MINUTE);
  expect(market.warnings()).toEqual([]);
  // While it is healthy, no other source is called.
  opened.sandbox.clearCalls();
  for (const _ of [1, 2, 3]) {
    clock.advance(MINUTE);
    await market.latest('bitcoin');
    await market.idle();
  }
  expect(opened.sandbox.calls.filter(({ path }) => !path.startsWith(COINGECKO))).toEqual([]);
});

test('if Kraken fails while it is served, Coinbase takes over within 125 s', async () => {
  const { market } = await open('coingecko,kraken,coinbase');
  await market.latest('bitcoin');
  down(COINGECKO);
  await until(isFrom('kraken'), 5 * MINUTE);
  down(COINGECKO, KRAKEN);
  await until(isFrom('coinbase'), 125 * SECOND);
});

test('each token has the price of the first source that lists it and is sound for it', async () => {
  const { market, sandbox } = await open('coingecko,kraken,coinbase');
  for (const token of ['bitcoin', 'arweave', 'solana']) await market.latest(token);
  down(COINGECKO);
  sandbox.faults.always(
    {
      kind: 'changed',
      // Kraken's price of one token is that of another asset.
      change: (body) => JSON.parse(JSON.stringify(body).replace(/("SOLUSD":.*?"c":\[)"[\d.]+"/, '$1"9999.0"')),
    },
    { path: '/Ticker' },
  );
  await until(isFrom('kraken'), 5 * MINUTE);
  clock.advance(MINUTE);
  const sources = async () =>
    Promise.all(['bitcoin', 'arweave', 'solana'].map(async (token) => nameOf(await market.latest(token))));
  await sources();
  await market.idle();
  expect(await sources()).toEqual(['kraken', 'kraken', 'coinbase']);
});

test('the gaps of a window are filled by the next source that covers them', async () => {
  const { market, sandbox } = await open('coingecko,kraken,coinbase');
  down(COINGECKO, KRAKEN);
  for (const [days, points] of [
    [1, 288],
    [5, 120],
    [30, 31],
  ] as const) {
    const response = await market.days('ethereum', days, 'json');
    expect(response).toMatchObject({ source: 'coinbase', gaps: [] });
    expect(response.outcome.failure).toBeUndefined();
    expect(timesOf(response)).toHaveLength(points);
  }
  // Kraken's history reaches further back than two calls to Coinbase, but not as far as this window.
  down(COINGECKO);
  clock.advance(10 * MINUTE);
  // A range that has ended: today's newest sample is from whichever of the two sources responded last.
  const today = startOfDate(clock.now());
  const long = await market.range('ethereum', 'day', today - 699 * DAY, today - DAY, 'json');
  expect(long.source.split(', ').sort()).toEqual(['kraken']);
  expect(long.gaps).toEqual([]);
  // Coinbase's samples were replaced: Kraken ranks higher.
  expect(await opened.database.prisma.point.count({ where: { interval: 'day', source: 'coinbase' } })).toBe(0);
  expect(sandbox.countCalls('/products/{id}/candles')).toBeGreaterThan(0);
});

test.each([
  ['kraken,coinbase', 'kraken'],
  ['coinbase,kraken', 'coinbase'],
  ['kraken', 'kraken'],
  ['coinbase', 'coinbase'],
])('MARKET_SOURCES=%s works without CoinGecko', async (order, first) => {
  const { market, candles, sandbox } = await open(order);
  const latest = await market.latest('bitcoin');
  expect(latest.source).toBe(`${first};age=0`);
  const { current_price, market_cap } = JSON.parse(String(latest.body.identity.payload)) as LatestPrice;
  expect([current_price > 0, market_cap]).toEqual([true, null]);
  for (const [days, points] of [
    [1, 288],
    [5, 120],
    [30, 31],
  ] as const) {
    const response = await market.days('bitcoin', days, 'json');
    expect(response).toMatchObject({ source: first, gaps: [] });
    expect(timesOf(response)).toHaveLength(points);
  }
  const [from, thru] = [Date.parse('2026-05-01'), Date.parse('2026-05-10')];
  const days = await candles.range('bitcoin', 'daily', from, thru, 'json');
  expect([JSON.parse(String(days.body.identity.payload)).length, days.source]).toEqual([10, first]);
  const statusOf = (await market.tokens()).find(({ token }) => token.name === 'bitcoin');
  expect(statusOf).toMatchObject({ isInactive: false, pricedAt: expect.any(Number) });
  clock.advance(MINUTE);
  expect(nameOf(await market.latest('bitcoin'))).toBe(first);
  expect(market.warnings()).toEqual([]);
  expect(sandbox.calls.filter(({ path }) => path.startsWith(COINGECKO))).toEqual([]);

  const [other] = order.split(',').slice(1);
  down(first === 'kraken' ? KRAKEN : COINBASE);
  if (other) await until(isFrom(other), 125 * SECOND);
  else {
    clock.advance(HOUR);
    await market.latest('bitcoin');
    await market.idle();
    const { source, outcome } = await market.latest('bitcoin');
    expect([source, outcome.failure]).toEqual([`${first};age=3660`, expect.anything()]);
  }
});
