import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TokenName } from '#catalogue/token';
import { DAY, HOUR, MINUTE, SECOND, startOfDate } from '#core/clock';
import { type Interval, lastKnowable } from '#prices/model/interval';
import { dailySample } from '#sandbox/prices/chart';
import { figuresAt } from '#sandbox/prices/price-model';
import type { DataResponse } from '#server/responses/response-body';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { listingOf } from '../../fixtures/tokens.ts';
import { amount, longTimeout } from '../support/long.ts';
import { openTestMarket, type TestMarket } from '../support/service/market.ts';

const SEED = 1;
type UpstreamRequest =
  | { kind: 'days'; token: TokenName; days: number }
  | { kind: 'range'; token: TokenName; grain: Interval; back: number; length: number };
type Step = UpstreamRequest | { kind: 'wait'; ms: number } | { kind: 'down' } | { kind: 'up' };

const token = fc.constantFrom<TokenName[]>('bitcoin', 'ethereum', 'solana');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('days' as const),
      token,
      days: fc.constantFrom(1, 2, 10, 11, 30, 364, 365, 366, 367, 5000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('range' as const),
      token,
      grain: fc.constantFrom<Interval[]>('minute', 'hour', 'day', 'day'),
      back: fc.oneof(
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 85, max: 95 }),
        fc.integer({ min: 360, max: 370 }),
        fc.integer({ min: 0, max: 5000 }),
      ),
      length: fc.integer({ min: 0, max: 120 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.oneof(
        fc.integer({ min: 1, max: 5 * MINUTE }),
        fc.integer({ min: MINUTE, max: 12 * HOUR }),
        fc.integer({ min: HOUR, max: 4 * DAY }),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'down' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'up' as const }) },
);

/** The samples of a response, at their stored times. CSV has whole seconds. */
function samplesOf({ body }: DataResponse, stored: readonly number[]): { at: number; price: number | null }[] {
  const exact = new Map(stored.map((at) => [Math.floor(at / SECOND), at]));
  const lines = String(body.identity.payload).trimEnd().split('\r\n').slice(1);
  return lines.map((line) => {
    const [date = '', price = ''] = line.split(',');
    const received = Date.parse(date.length === 10 ? date : `${date.replace(' ', 'T')}Z`);
    return { at: exact.get(received / SECOND) ?? received, price: price === '' ? null : Number(price) };
  });
}

/** The window of a request, in dates if it has whole days. */
function windowOf(request: UpstreamRequest, now: number): { grain: Interval; from: number; thru: number } {
  if (request.kind === 'range') {
    const from = startOfDate(now) - request.back * DAY;
    const thru = from + request.length * DAY;
    return { grain: request.grain, from, thru: Math.min(thru + DAY - 1, now) };
  }
  const { days } = request;
  if (days > 10) return { grain: 'day', from: startOfDate(now) - (days - 1) * DAY, thru: now };
  return { grain: days === 1 ? 'minute' : 'hour', from: now - days * DAY, thru: now };
}

const send = ({ market }: TestMarket, request: UpstreamRequest, now: number) => {
  if (request.kind === 'days') return market.days(request.token, request.days, 'csv');
  const from = startOfDate(now) - request.back * DAY;
  return market.range(request.token, request.grain, from, from + request.length * DAY, 'csv');
};

const gapsOf = ({ gaps }: DataResponse) =>
  gaps.map((text) => {
    const [from = '', thru = ''] = text.split('/');
    return { from: Date.parse(from), thru: Date.parse(thru) + (thru.length === 10 ? DAY - 1 : 0) };
  });

/** Properties of every response, after any sequence of requests. */
function checkResponse(response: DataResponse, request: UpstreamRequest, now: number, stored: readonly number[]): void {
  const { token } = request;
  const { grain, from, thru } = windowOf(request, now);
  const samples = samplesOf(response, stored);
  expect(samples.length).toBeGreaterThan(0);
  expect(Math.floor(response.modifiedAt / SECOND)).toBe(Math.floor((samples.at(-1)?.at ?? 0) / SECOND));
  samples.forEach(({ at, price }, i) => {
    if (i > 0) expect(at).toBeGreaterThan(samples[i - 1]?.at as number);
    expect(at).toBeGreaterThanOrEqual(from);
    expect(at).toBeLessThanOrEqual(now);
    const own = figuresAt(SEED, token, at)?.price ?? Number.NaN;
    // A latest price is rounded. All other values equal CoinGecko's, to the last digit.
    if (price !== own) expect(Math.abs((price ?? 0) / own - 1)).toBeLessThan(1e-4);
  });
  const gaps = gapsOf(response);
  for (const gap of gaps) {
    expect(gap.from).toBeGreaterThanOrEqual(Math.max(from, listingOf(token)));
    expect(gap.thru).toBeLessThanOrEqual(Math.max(thru, startOfDate(thru) + DAY - 1));
  }
  if (gaps.length > 0) expect(response.isImmutable).toBe(false);
  if (grain !== 'day') return;
  const midnights = new Map(samples.filter(({ at }) => at === startOfDate(at)).map(({ at, price }) => [at, price]));
  const first = Math.max(startOfDate(from), listingOf(token));
  for (let date = first; date <= Math.min(thru, lastKnowable('day', now)); date += DAY) {
    const isGap = gaps.some((gap) => gap.from <= date && date <= gap.thru);
    const own = dailySample(SEED, token, date);
    // Until today's row is fetched, the first sample of the day replaces it. This sample can be at midnight, too.
    if (isGap && date === startOfDate(now)) continue;
    expect([date, midnights.has(date)]).toEqual([date, !isGap && own !== null]);
    if (own && midnights.has(date)) expect(midnights.get(date)).toBe(own.price);
  }
}

/** Settled samples equal CoinGecko's, and never change. */
async function checkSettled({ database }: TestMarket, before: Map<string, number | null>): Promise<void> {
  const rows = await database.prisma.point.findMany({ where: { final: true } });
  const after = new Map(rows.map(({ token, interval, at, price }) => [`${token},${interval},${at.getTime()}`, price]));
  for (const [key, price] of after) {
    const [token, grain, at] = key.split(',') as [TokenName, Interval, string];
    const sampled = grain === 'day' ? dailySample : figuresAt;
    expect(price).toBe(sampled(SEED, token, Number(at))?.price);
  }
  for (const [key, price] of before) expect(after.get(key)).toBe(price);
  for (const [key, price] of after) before.set(key, price);
}

async function live(test: TestMarket, clock: TestClock, steps: readonly Step[]): Promise<void> {
  const settled = new Map<string, number | null>();
  for (const step of steps) {
    if (step.kind === 'wait') clock.advance(step.ms);
    else if (step.kind === 'down') test.sandbox.faults.always({ kind: 'html' });
    else if (step.kind === 'up') test.sandbox.faults.clear();
    else {
      const now = clock.now();
      if (step.kind === 'range' && step.length > step.back + 5) continue;
      try {
        const response = await send(test, step, now);
        const rows = await test.database.prisma.point.findMany({ where: { token: step.token } });
        checkResponse(
          response,
          step,
          now,
          rows.map(({ at }) => at.getTime()).sort((a, b) => a - b),
        );
      } catch (error) {
        if ((error as Error).name !== 'Problem') throw error;
        expect([404, 502, 503]).toContain((error as { status: number }).status);
      }
      await test.market.idle();
      await checkSettled(test, settled);
    }
  }
}

test.each(['public', 'pro'] as const)(
  'for any requests at any times, and any outages of CoinGecko (%s)',
  { timeout: longTimeout },
  async (plan) => {
    const start = fc.integer({
      min: Date.parse('2026-05-14T23:00:00Z'),
      max: Date.parse('2026-05-15T02:00:00Z'),
    });
    await fc.assert(
      fc.asyncProperty(start, fc.array(step, { minLength: 4, maxLength: 16 }), async (from, steps) => {
        const clock = createTestClock(from);
        const opened = await openTestMarket(clock, { plan });
        try {
          await live(opened, clock, steps);
        } finally {
          await opened.close();
        }
      }),
      { numRuns: amount(2, 50) },
    );
  },
);
