import { describe, expect, test } from 'vitest';
import { DAY, HOUR, isoDate, MINUTE } from '#core/clock';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { timesOf } from '../../support/service/market.ts';
import { chartOf, useScriptedMarkets } from '../../support/service/scripted-markets.ts';

const NOW = '2026-05-15T12:00:00Z';
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);
const LACKING = date('2026-05-11');
const [FROM, THRU] = [date('2026-05-08'), date('2026-05-13')];

let clock: TestClock;
/** The times that CoinGecko's responses omit, and those that Kraken's omit. */
let isOmitted: (at: number) => boolean = () => false;
let isOmittedByKraken: (at: number) => boolean = () => false;

function coinGecko(query: Record<string, string>) {
  const now = clock.now();
  const from = query.from ? Number(query.from) * 1000 : now - Math.min(400, Number(query.days)) * DAY;
  const to = query.to ? Number(query.to) * 1000 : now;
  const spacing = query.interval === 'daily' ? DAY : query.days === '1' ? 5 * MINUTE : HOUR;
  const column: [number, number][] = [];
  for (let at = Math.ceil(from / spacing) * spacing; at <= to; at += spacing) if (!isOmitted(at)) column.push([at, 1]);
  return chartOf(column);
}

function kraken(path: string, query: Record<string, string>) {
  const pair = { altname: 'XBTUSD', wsname: 'XBT/USD', status: 'online' };
  if (path.endsWith('/AssetPairs')) return { error: [], result: { XXBTZUSD: pair } };
  const length = Number(query.interval) * MINUTE;
  const current = Math.floor(clock.now() / length) * length;
  const rows: unknown[] = [];
  const since = (Math.floor((Number(query.since ?? 0) * 1000) / length) + 1) * length;
  for (let at = Math.max(current - 720 * length, since); at <= current; at += length)
    if (!isOmittedByKraken(at + length)) rows.push([at / 1000, '2', '2', '2', '2', '2', '1', 1]);
  return { error: [], result: { XXBTZUSD: rows, last: (current - length) / 1000 } };
}

const markets = useScriptedMarkets(({ path, query }) => {
  if (path.includes('/0/public')) return { body: JSON.stringify(kraken(path, query)) };
  const latest = JSON.stringify([{ id: 'bitcoin', current_price: 1, last_updated: NOW }]);
  return { body: path.endsWith('/markets') ? latest : coinGecko(query) };
});

async function open(sources = 'coingecko') {
  if (markets.count() === 0) {
    clock = createTestClock(NOW);
    isOmitted = () => false;
    isOmittedByKraken = () => false;
  }
  const env = { MARKET_SOURCES: sources, COINGECKO_REFRESH: 'latest=300h,chart=6h' };
  return (await markets.open(clock, env)).market;
}

type Market = Awaited<ReturnType<typeof open>>;
const range = async (market: Market, interval: 'day' | 'hour' = 'day') =>
  market.range('bitcoin', interval, FROM, THRU, 'json');
const calls = () => markets.calls().filter(({ path }) => path.includes('/market_chart')).length;
const krakenCalls = () => markets.calls().filter(({ path }) => path.includes('/OHLC')).length;

/** Requests the window every half an hour, and returns the calls' times in hours since the first request. */
async function callsWhile(market: Market, ms: number, send: () => Promise<unknown>) {
  const start = clock.now();
  const times: number[] = [];
  for (let passed = 0; passed < ms; passed += HOUR / 2) {
    clock.advance(HOUR / 2);
    const before = calls();
    await send().catch(() => undefined);
    await market.idle();
    for (let i = before; i < calls(); i++) times.push((clock.now() - start) / HOUR);
  }
  return times;
}

describe('a day that a response omits', () => {
  test('is a gap, is requested again after growing pauses, and is served once it arrives', async () => {
    const market = await open();
    isOmitted = (at) => at === LACKING;
    const gaps = ['2026-05-11/2026-05-11'];
    expect(await range(market)).toMatchObject({ gaps, isImmutable: false });
    const missing = { code: 'upstream_unavailable', status: 503, members: { gaps } };
    await expect(market.date('bitcoin', LACKING, 'json')).rejects.toMatchObject({
      ...missing,
      headers: { 'retry-after': expect.any(String) },
    });
    // The other days are served meanwhile.
    expect((await market.range('bitcoin', 'day', FROM, LACKING - DAY, 'json')).isImmutable).toBe(true);
    expect(timesOf(await range(market)).map(isoDate)).not.toContain('2026-05-11');
    const times = await callsWhile(market, 30 * HOUR, () => range(market));
    // The row of each new day is requested at 00:40, together with the missing day.
    expect(times).toEqual([1, 2, 4, 8, 13, 26]);

    isOmitted = () => false;
    await callsWhile(market, 28 * HOUR, () => range(market));
    expect(await range(market)).toMatchObject({ gaps: [], isImmutable: true });
    expect(timesOf(await range(market)).map(isoDate)).toContain('2026-05-11');
  });

  test('delays no request of another process or of a restarted one, and is not requested by each of them', async () => {
    const market = await open();
    isOmitted = (at) => at === LACKING;
    await range(market);
    expect(await callsWhile(market, 8.5 * HOUR, () => range(market))).toEqual([1, 2, 4, 8]);
    const other = await open();
    expect(await range(other)).toMatchObject({ gaps: ['2026-05-11/2026-05-11'] });
    const both = () => Promise.all([range(market), range(other)]);
    expect(await callsWhile(other, 3 * HOUR, both)).toEqual([]);
  });

  test('is filled by the next source, until the first source provides it', async () => {
    const market = await open('coingecko,kraken');
    isOmitted = (at) => at === LACKING;
    await range(market);
    const response = await range(market);
    expect(response).toMatchObject({ gaps: [], isImmutable: false, source: 'coingecko, kraken' });
    expect(timesOf(response)).toHaveLength(6);
    expect(krakenCalls()).toBe(1);
    // The next response of CoinGecko without the day does not delete Kraken's sample.
    await callsWhile(market, 9 * HOUR, () => range(market));
    expect(await range(market)).toMatchObject({ gaps: [], source: 'coingecko, kraken' });
    expect(krakenCalls()).toBe(1);
    isOmitted = () => false;
    await callsWhile(market, 10 * HOUR, () => range(market));
    expect(await range(market)).toMatchObject({ gaps: [], isImmutable: true, source: 'coingecko' });
  });

  test('is requested from a source that lacks it, too, after growing pauses', async () => {
    const market = await open('coingecko,kraken');
    isOmitted = (at) => at === LACKING;
    isOmittedByKraken = (at) => at === LACKING;
    await range(market);
    await callsWhile(market, 24 * HOUR, () => range(market));
    expect(await range(market)).toMatchObject({ gaps: ['2026-05-11/2026-05-11'] });
    expect(krakenCalls()).toBeLessThanOrEqual(7);
  });

  test('is a gap in data that an earlier release stored as complete', async () => {
    const market = await open();
    await range(market);
    await markets.prisma().$executeRaw`DELETE FROM point WHERE "interval" = 'day' AND at = '2026-05-11'`;
    const other = await open();
    expect(await range(other)).toMatchObject({ gaps: ['2026-05-11/2026-05-11'], isImmutable: false });
    clock.advance(HOUR);
    await range(other);
    await other.idle();
    expect(await range(other)).toMatchObject({ gaps: [], isImmutable: true });
  });
});

describe('hours that a response omits', () => {
  const gaps = ['2026-05-11T05:00:00.000Z/2026-05-11T06:59:59.999Z'];
  const lacking = (at: number) => at >= LACKING + 5 * HOUR && at < LACKING + 7 * HOUR;

  test('are a gap, and are requested again after growing pauses until they arrive', async () => {
    const market = await open();
    isOmitted = (at) => lacking(at);
    expect(await range(market, 'hour')).toMatchObject({ gaps, isImmutable: false });
    expect(await callsWhile(market, 10 * HOUR, () => range(market, 'hour'))).toEqual([1, 2, 4, 8]);
    isOmitted = () => false;
    await callsWhile(market, 8 * HOUR, () => range(market, 'hour'));
    expect(await range(market, 'hour')).toMatchObject({ gaps: [], isImmutable: true });
  });

  test('delay no request for other hours', async () => {
    const market = await open();
    isOmitted = (at) => lacking(at);
    await range(market, 'hour');
    const before = calls();
    const year = date('2025-11-01');
    const response = await market.range('bitcoin', 'hour', year, year + 3 * DAY, 'json');
    expect(response).toMatchObject({ gaps: [], isImmutable: true });
    expect(calls()).toBe(before + 1);
  });

  test('are filled by the next source', async () => {
    const market = await open('coingecko,kraken');
    isOmitted = (at) => lacking(at);
    await range(market, 'hour');
    const response = await range(market, 'hour');
    expect(response).toMatchObject({ gaps: [], isImmutable: false, source: 'coingecko, kraken' });
    expect(timesOf(response)).toHaveLength(6 * 24);
  });
});

test('a chart without points has no data, and is requested again', async () => {
  const market = await open();
  isOmitted = () => true;
  for (const send of [
    () => market.days('bitcoin', 30, 'json'),
    () => range(market),
    () => range(market, 'hour'),
    () => market.date('bitcoin', LACKING, 'json'),
  ]) {
    const problem = { code: 'no_data', status: 404, members: { gaps: [expect.any(String)] } };
    await expect((async () => send())()).rejects.toMatchObject(problem);
  }
  expect(market.warnings()).toEqual([]);
  isOmitted = () => false;
  clock.advance(6 * HOUR);
  expect((await range(market)).isImmutable).toBe(true);
  expect(timesOf(await market.days('bitcoin', 1, 'json')).length).toBeGreaterThan(200);
});

test('today, before its first sample, is unavailable rather than missing', async () => {
  const market = await open();
  await market.days('bitcoin', 30, 'json');
  clock.goTo('2026-05-16T00:00:05Z');
  isOmitted = (at) => at >= date('2026-05-16');
  await expect(market.date('bitcoin', date('2026-05-16'), 'json')).rejects.toMatchObject({
    code: 'upstream_unavailable',
    status: 503,
    headers: { 'retry-after': '60' },
  });
});
