import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { throttled } from '#prices/refresh/refresh-schedule';
import { COINGECKO_PLANS as PLANS, parseRefreshSchedule } from '#prices/sources/coingecko-plans';

const { schedule: demo, budget } = PLANS.demo;
/** Five tokens with requests for prices, charts and days. */
const LOAD = { latest: 1, charts: 5, days: 5 };
const NOVEMBER = Date.parse('2026-11-01T00:00:00Z');
const DECEMBER = Date.parse('2026-12-01T00:00:00Z');

describe('a configured schedule', () => {
  test.each([
    ['latest=6m,chart=6h', { latest: 6 * MINUTE, chart: 6 * HOUR }],
    ['chart=90s', { chart: 90 * SECOND }],
    [' latest=1m , chart=2h ', { latest: MINUTE, chart: 2 * HOUR }],
    ['latest=1m,latest=2m', { latest: 2 * MINUTE }],
  ])('%s', (text, schedule) => {
    expect(parseRefreshSchedule(text)).toEqual(schedule);
  });

  test.each([
    '',
    'latest',
    'latest=',
    'latest=0m',
    'latest=5',
    'latest=5d',
    'daily=1h',
    'latest=-5m',
    'latest=1.5h',
    'latest=5m;chart=6h',
    'latest=5m,',
  ])('is rejected as %j', (text) => {
    expect(() => parseRefreshSchedule(text)).toThrow(RangeError);
    expect(() => parseRefreshSchedule(text)).toThrow(/latest=6m,chart=6h/);
  });
});

test('the demo plan’s schedule and its daily series fit into its 10,000 calls in the longest month', () => {
  const { latest, chart } = demo;
  const month = 31 * DAY;
  const calls = month / latest + (LOAD.charts * month) / chart + LOAD.charts * 31;
  expect(calls).toBe(8215);
});

/** The calls of a schedule from an instant to the month's end, with one daily-series call per day and token. */
function cost({ latest, chart }: { latest: number; chart: number }, now: number): number {
  const left = DECEMBER - now;
  return left / latest + (LOAD.charts * left) / chart + LOAD.charts * Math.ceil(left / DAY);
}

describe('a throttled schedule', () => {
  test('is unchanged while the monthly budget covers it, including first fills and some retries', () => {
    expect(throttled(demo, { limits: budget, spent: 0, now: NOVEMBER }, LOAD)).toEqual({
      ...demo,
      early: expect.any(Number),
    });
    const halfway = NOVEMBER + 15 * DAY;
    expect(throttled(demo, { limits: budget, spent: 4_500, now: halfway }, LOAD)).toEqual({
      ...demo,
      early: expect.any(Number),
    });
  });

  test('is unchanged without a monthly budget', () => {
    expect(
      throttled(PLANS.public.schedule, { limits: PLANS.public.budget, spent: 1e9, now: DECEMBER - 1 }, LOAD),
    ).toEqual({
      ...PLANS.public.schedule,
      early: 10 * SECOND,
    });
  });

  test('never costs more than the remaining calls, and leaves 2 % for first fills and retries', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 300, max: 20_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: NOVEMBER, max: DECEMBER - 1 }),
        (perMonth, part, now) => {
          const spent = Math.floor(perMonth * part);
          const schedule = throttled(demo, { limits: { perMinute: 30, perMonth }, spent, now }, LOAD);
          expect(schedule.latest).toBeGreaterThanOrEqual(demo.latest);
          expect(schedule.chart).toBeGreaterThanOrEqual(demo.chart);
          expect(schedule.early).toBeGreaterThanOrEqual(10 * SECOND);
          if (schedule.latest === Number.POSITIVE_INFINITY) return;
          const early = (DECEMBER - now) / schedule.early;
          expect(cost(schedule, now) + early).toBeLessThanOrEqual(Math.max(0.98 * perMonth - spent, 0) + 1e-6);
        },
      ),
    );
  });

  test('distributes unused calls to early fetches, evenly until the end of the month', () => {
    const month = 30 * DAY;
    const load = { latest: 1, charts: 0, days: 0 };
    const { early } = throttled(demo, { limits: budget, spent: 0, now: NOVEMBER }, load);
    expect(month / early).toBeCloseTo(0.98 * 10_000 - month / demo.latest);
    expect(throttled(demo, { limits: budget, spent: 3_000, now: NOVEMBER }, LOAD).early).toBe(Number.POSITIVE_INFINITY);
  });

  test('fetches no latest prices when no calls are left', () => {
    expect(throttled(demo, { limits: budget, spent: 10_000, now: NOVEMBER + DAY }, LOAD).latest).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  test('fetches each token’s chart often enough that no hour is lost, even with few calls left', () => {
    for (const spent of [0, 5_000, 9_500, 9_799, 10_000]) {
      const { chart } = throttled(demo, { limits: budget, spent, now: NOVEMBER + 5 * DAY }, LOAD);
      expect(chart).toBeLessThanOrEqual(23 * HOUR);
    }
    expect(
      throttled({ latest: HOUR, chart: 2 * DAY }, { limits: budget, spent: 10_000, now: NOVEMBER }, LOAD).chart,
    ).toBe(2 * DAY);
  });
});
