import { afterEach, describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '#core/clock';
import type { DataResponse } from '#server/responses/response-body';
import { warningText } from '#upstream/freshness';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket } from '../../support/service/market.ts';

let opened: TestMarket;
afterEach(() => opened.close());
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);

async function openAt(now: string, env: Record<string, string> = {}) {
  const clock = createTestClock(now);
  opened = await openTestMarket(clock, { env });
  const { candles, sandbox, database } = opened;
  /** The intervals of the candle calls that an action caused, including background refreshes. */
  async function cost(request: () => unknown, service = candles) {
    const before = sandbox.calls.length;
    await request();
    await service.idle();
    const calls = sandbox.calls.slice(before).filter(({ path }) => path.endsWith('/OHLC'));
    return calls.map(({ query }) => `${query.pair} ${query.interval}`);
  }
  return { clock, candles, sandbox, database, cost };
}

type Received = { date: string; open: number; close: number }[];
const received = ({ body }: DataResponse): Received => JSON.parse(String(body.identity.payload));
const times = (response: DataResponse) => received(response).map(({ date }) => new Date(date).toISOString());

describe('the first window', () => {
  test('fetches all candles that Kraken provides in one call', async () => {
    const { candles, cost } = await openAt('2026-05-15T14:42:25.300Z');
    const days = () => candles.range('bitcoin', 'daily', date('2026-05-01'), date('2026-05-15'), 'json');
    expect(await cost(days)).toEqual(['XXBTZUSD 1440']);
    const response = await days();
    expect(times(response)).toEqual(
      Array.from({ length: 14 }, (_, i) => `2026-05-${String(i + 1).padStart(2, '0')}T00:00:00.000Z`),
    );
    expect(response).toMatchObject({ source: 'kraken', gaps: [], isImmutable: false });
    const older = () => candles.range('bitcoin', 'daily', date('2024-06-01'), date('2025-06-01'), 'csv');
    expect(await cost(older)).toEqual([]);
    expect(await older()).toMatchObject({ isImmutable: true, gaps: [] });
  });

  test('of one-minute intervals has five-minute candles, without the current one', async () => {
    const { candles, cost } = await openAt('2026-05-15T00:12:00.000Z');
    const minutes = () => candles.range('solana', 'minute', date('2026-05-15'), date('2026-05-16'), 'json');
    expect(await cost(minutes)).toEqual(['SOLUSD 5']);
    expect(times(await minutes())).toEqual(['2026-05-15T00:00:00.000Z', '2026-05-15T00:05:00.000Z']);
  });

  test('that starts before Kraken’s data reports the gap', async () => {
    const { candles } = await openAt('2026-05-15T14:42:25.300Z');
    const response = await candles.range('ethereum', 'daily', date('2024-01-01'), date('2026-05-14'), 'json');
    expect(response.gaps).toEqual(['2024-01-01/2024-05-24']);
    expect(response.isImmutable).toBe(false);
    expect(times(response)[0]).toBe('2024-05-25T00:00:00.000Z');
  });

  test('of a token that Kraken listed later has no gap before the listing', async () => {
    const { candles } = await openAt('2026-05-15T14:42:25.300Z');
    const response = await candles.range('arweave', 'daily', date('2025-01-01'), date('2026-05-14'), 'json');
    expect(times(response)[0]).toBe('2025-04-28T00:00:00.000Z');
    expect(response.gaps).toEqual([]);
  });
});

describe('a new candle', () => {
  test('is fetched when it is finished, and the same call settles the previous candle', async () => {
    const { clock, candles, cost, sandbox } = await openAt('2026-05-15T14:42:25.300Z');
    const hours = () => candles.range('bitcoin', 'hourly', date('2026-05-15'), date('2026-05-15'), 'json');
    expect(await cost(hours)).toEqual(['XXBTZUSD 60']);
    clock.goTo('2026-05-15T14:59:59.999Z');
    expect(await cost(hours)).toEqual([]);
    clock.goTo('2026-05-15T15:00:01.000Z');
    expect(await cost(hours)).toEqual(['XXBTZUSD 60']);
    expect(times(await hours()).at(-1)).toBe('2026-05-15T14:00:00.000Z');
    // From a second before the oldest unsettled candle.
    const since = Number(sandbox.calls.at(-1)?.query.since) * 1000;
    expect(new Date(since).toISOString()).toBe('2026-05-15T12:59:59.000Z');
  });

  test('is settled an hour after its end, and does not change afterwards', async () => {
    const { clock, candles, cost, database } = await openAt('2026-05-15T00:00:30.000Z');
    const yesterday = () => candles.range('bitcoin', 'daily', date('2026-05-14'), date('2026-05-14'), 'json');
    await cost(yesterday);
    expect(await yesterday()).toMatchObject({ isImmutable: false });
    await database.prisma.$executeRaw`UPDATE candle SET close = close + 1, high = high + 1`;
    clock.goTo('2026-05-15T00:59:59.000Z');
    expect(await cost(yesterday)).toEqual([]);
    clock.goTo('2026-05-15T01:00:00.000Z');
    expect(await cost(yesterday)).toEqual(['XXBTZUSD 1440']);
    expect(await yesterday()).toMatchObject({ isImmutable: true });
    const rows = await database.prisma.candle.findMany({ orderBy: { at: 'desc' }, take: 2 });
    const [last, before] = rows;
    // Unsettled candles have Kraken's current values. Settled candles have the stored values.
    expect(last?.open).toBeCloseTo((before?.close ?? 0) - 1, 6);
    expect(rows.every(({ final, source }) => final && source === 'kraken')).toBe(true);
  });

  test('that is late is requested once a minute', async () => {
    const { clock, candles, cost, sandbox } = await openAt('2026-05-15T14:42:25.300Z');
    const hours = () => candles.range('bitcoin', 'hourly', date('2026-05-15'), date('2026-05-15'), 'json');
    await hours();
    const response = await fetch(`${sandbox.krakenUrl}/OHLC?pair=XXBTZUSD&interval=60`);
    sandbox.faults.always({ kind: 'status', status: 200, body: await response.json() }, { path: 'OHLC' });
    clock.goTo('2026-05-15T15:00:01.000Z');
    expect(await cost(hours)).toEqual(['XXBTZUSD 60']);
    clock.advance(MINUTE - SECOND);
    expect(await cost(hours)).toEqual([]);
    clock.advance(SECOND);
    expect(await cost(hours)).toEqual(['XXBTZUSD 60']);
    expect((await hours()).gaps).toEqual([]);
  });
});

describe('while Kraken fails', () => {
  test('stored candles are served, with the cause', async () => {
    const { clock, candles, sandbox } = await openAt('2026-05-15T14:42:25.300Z');
    const hours = () => candles.range('bitcoin', 'hourly', date('2026-05-15'), date('2026-05-15'), 'json');
    const before = await hours();
    sandbox.faults.always({ kind: 'status', status: 403 }, { path: '/0/public' });
    clock.advance(3 * HOUR);
    const response = await hours();
    expect(received(response)).toEqual(received(before));
    expect(response.outcome.failure).toMatchObject({ upstream: 'kraken', reason: 'refused' });
    expect(response.gaps).toEqual(['2026-05-15T14:00:00.000Z/2026-05-15T16:59:59.999Z']);
    expect(candles.warnings().map(warningText)).toEqual(['candles:bitcoin:hour: refused']);
  });

  test.each([
    [{ kind: 'status', status: 500 } as const, 'upstream_unavailable'],
    [{ kind: 'truncated' } as const, 'upstream_invalid'],
  ])('and nothing is stored, a problem is returned', async (fault, code) => {
    const { candles, sandbox } = await openAt('2026-05-15T14:42:25.300Z');
    sandbox.faults.always(fault, { path: 'OHLC' });
    const response = candles.range('bitcoin', 'hourly', date('2026-05-15'), date('2026-05-15'), 'json');
    await expect(response).rejects.toMatchObject({ code });
  });
});

test('processes share fetched candles, and concurrent requests make one call', async () => {
  const { candles, cost } = await openAt('2026-05-15T14:42:25.300Z');
  const request = (service = candles) =>
    service.range('bitcoin', 'hourly', date('2026-05-14'), date('2026-05-14'), 'json');
  const other = await opened.anotherCandles();
  expect(await cost(() => Promise.all([request(), request(), request(other), request(other)]))).toEqual([
    'XXBTZUSD 60',
  ]);
  expect(received(await request(other))).toEqual(received(await request()));
  const third = await opened.anotherCandles();
  expect(await cost(() => request(third), third)).toEqual([]);
});
