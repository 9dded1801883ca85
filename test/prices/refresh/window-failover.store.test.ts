import { afterEach, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import type { DataResponse } from '#server/responses/response-body';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, received, type TestMarket, timesOf } from '../../support/service/market.ts';

const COINGECKO = '/api/v3/';
const DEAD: Fault = { kind: 'status', status: 503 };
const START = '2026-05-15T14:02:06Z';

let opened: TestMarket;
afterEach(() => opened.close());

async function openAt(now: string, env: Record<string, string> = {}) {
  const clock = createTestClock(now);
  opened = await openTestMarket(clock, { env: { COINGECKO_REFRESH: 'latest=1m,chart=30m', ...env } });
  return { clock, ...opened };
}

/** The maximum distance between two consecutive points. */
function widest(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((at, i) => at - (times[i] as number)));
}

const krakenCalls = () => opened.sandbox.calls.filter(({ path }) => path.endsWith('/OHLC')).length;
const provisional = () => opened.database.prisma.point.count({ where: { provisional: true } });

test.each([
  [1, 'minute', 10 * MINUTE],
  [5, 'hour', 2 * HOUR],
  [30, 'day', DAY],
] as const)(
  'windows of %i days are complete if the primary is unavailable from the start',
  async (days, interval, spacing) => {
    const { market, sandbox } = await openAt(START);
    sandbox.faults.always(DEAD, { path: COINGECKO });
    const response = await market.days('solana', days, 'json');
    const times = timesOf(response);
    expect(widest(times)).toBeLessThanOrEqual(spacing);
    if (interval === 'day') expect(times.slice(0, 30).every((at) => at % DAY === 0)).toBe(true);
    expect(times).toHaveLength({ 1: 289, 5: 120, 30: 31 }[days] as number);
    expect(response).toMatchObject({ source: 'kraken', gaps: [], isImmutable: false });
    expect(response.outcome.failure).toBeUndefined();
    expect(received(response).market_cap).toEqual([]);
    // The fallback's samples serve all windows of the token and interval without a further call.
    const calls = krakenCalls();
    await market.days('solana', days, 'csv');
    expect(krakenCalls()).toBe(calls);
  },
);

test('after an outage of 90 minutes, each window is complete, and the primary fills it soon afterwards', async () => {
  const { clock, market, sandbox, another } = await openAt(START);
  const windows = [1, 5, 30] as const;
  const request = () => Promise.all(windows.map((days) => market.days('bitcoin', days, 'json')));
  const sourcesOf = async () => (await request()).map(({ source }) => source);
  expect(await sourcesOf()).toEqual(['coingecko', 'coingecko', 'coingecko']);

  sandbox.faults.always(DEAD, { path: COINGECKO });
  const before = krakenCalls();
  for (let passed = 0; passed < 90 * MINUTE; passed += 5 * MINUTE) {
    clock.advance(5 * MINUTE);
    for (const response of await request()) {
      expect(response).toMatchObject({ gaps: [], isImmutable: false });
      expect(widest(timesOf(response).slice(-12, -1))).toBeLessThanOrEqual(DAY);
    }
    await market.idle();
  }
  const [minutes, hours] = (await request()) as [DataResponse, DataResponse, DataResponse];
  expect(widest(timesOf(minutes))).toBeLessThanOrEqual(15 * MINUTE);
  expect(widest(timesOf(hours))).toBeLessThanOrEqual(2 * HOUR);
  expect(minutes.source).toBe('coingecko, kraken');
  // Every five minutes once there is a gap, and each hour.
  expect(krakenCalls() - before).toBeLessThanOrEqual(90 / 5 + 2);
  expect(krakenCalls() - before).toBeGreaterThan(5);
  expect(await provisional()).toBeGreaterThan(10);

  sandbox.faults.clear();
  for (let passed = 0; passed < 35 * MINUTE; passed += 5 * MINUTE) {
    clock.advance(5 * MINUTE);
    await request();
    await market.idle();
  }
  expect(await sourcesOf()).toEqual(['coingecko', 'coingecko', 'coingecko']);
  const other = await another();
  expect((await other.days('bitcoin', 1, 'json')).source).toBe('coingecko');
  expect(await opened.database.prisma.point.count({ where: { provisional: true, token: 'bitcoin' } })).toBe(0);
});

test('data beyond the fallback’s range is a gap, and the failure is reported', async () => {
  const { market, sandbox } = await openAt(START, { COINGECKO_PLAN: 'pro' });
  sandbox.faults.always(DEAD, { path: COINGECKO });
  const response = await market.days('bitcoin', 1000, 'json');
  expect(response.gaps).toEqual([expect.stringMatching(/^2023-08-20\/2024-05-2\d$/)]);
  expect(response.outcome.failure).toMatchObject({ upstream: 'coingecko' });
  // Kraken lists the token since 2025-04-28, and has no earlier data.
  const young = await market.days('arweave', 500, 'json');
  expect(young.gaps).toEqual([expect.stringMatching(/\/2025-04-2\d$/)]);
});

test('a past window that the fallback completed may still change, including minutes', async () => {
  const { clock, market, sandbox } = await openAt(START);
  sandbox.faults.always(DEAD, { path: COINGECKO });
  const date = Date.parse('2026-05-14T00:00:00Z');
  for (const interval of ['minute', 'hour', 'day'] as const) {
    const response = await market.range('bitcoin', interval, date, date, 'json');
    expect(response).toMatchObject({ source: 'kraken', isImmutable: false, gaps: [] });
  }
  clock.advance(3 * DAY);
  expect(await market.range('bitcoin', 'minute', date, date, 'json')).toMatchObject({ isImmutable: false });
});

test('while both are down, the primary’s failure is reported, and neither is called again immediately', async () => {
  const { market, sandbox } = await openAt(START);
  sandbox.faults.always(DEAD);
  await expect((async () => market.days('bitcoin', 1, 'json'))()).rejects.toMatchObject({
    code: 'upstream_unavailable',
  });
  await market.idle();
  const calls = sandbox.countCalls();
  await expect((async () => market.days('bitcoin', 1, 'json'))()).rejects.toMatchObject({ status: 503 });
  expect(sandbox.countCalls()).toBe(calls);
});
