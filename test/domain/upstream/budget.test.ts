import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#domain/clock';
import { REFRESH_SCHEDULES } from '#domain/market/refresh-schedule';
import { TOKENS } from '#domain/market/token';
import { BUDGETS, monthOf, throttled } from '#domain/upstream/budget';

const NOVEMBER = Date.parse('2026-11-01T00:00:00Z');
const DECEMBER = Date.parse('2026-12-01T00:00:00Z');

describe('the calendar month', () => {
  test.each([
    [NOVEMBER, NOVEMBER, DECEMBER],
    [DECEMBER - 1, NOVEMBER, DECEMBER],
    [DECEMBER, DECEMBER, Date.parse('2027-01-01T00:00:00Z')],
    [
      Date.parse('2028-02-29T23:59:59Z'),
      Date.parse('2028-02-01T00:00:00Z'),
      Date.parse('2028-03-01T00:00:00Z'),
    ],
  ])('of %i', (now, start, end) => {
    expect(monthOf(now)).toEqual({ start, end });
  });
});

/** What the timetable costs from an instant to the month's end, with one call a day and token for the daily series. */
function cost({ latest, chart }: { latest: number; chart: number }, now: number): number {
  const left = DECEMBER - now;
  return left / latest + (TOKENS.length * left) / chart + TOKENS.length * Math.ceil(left / DAY);
}

describe('a timetable', () => {
  const { demo } = REFRESH_SCHEDULES;

  test('stands while the month’s budget holds it, first fills and some retries included', () => {
    expect(throttled(demo, BUDGETS.demo, 0, NOVEMBER)).toEqual(demo);
    const halfway = NOVEMBER + 15 * DAY;
    expect(throttled(demo, BUDGETS.demo, 4_500, halfway)).toEqual(demo);
  });

  test('stands where there is no budget for a month', () => {
    expect(throttled(REFRESH_SCHEDULES.public, BUDGETS.public, 1e9, DECEMBER - 1)).toEqual(
      REFRESH_SCHEDULES.public,
    );
  });

  test('is stretched in proportion', () => {
    const { latest, chart } = throttled(demo, { perMinute: 30, perMonth: 3_000 }, 0, NOVEMBER);
    expect(latest).toBeGreaterThan(demo.latest);
    expect(chart / latest).toBeCloseTo(demo.chart / demo.latest);
  });

  test('never costs more than what is left, and leaves a fiftieth for first fills and retries', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 300, max: 20_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: NOVEMBER, max: DECEMBER - 1 }),
        (perMonth, part, now) => {
          const spent = Math.floor(perMonth * part);
          const schedule = throttled(demo, { perMinute: 30, perMonth }, spent, now);
          expect(schedule.latest).toBeGreaterThanOrEqual(demo.latest);
          expect(schedule.chart).toBeGreaterThanOrEqual(demo.chart);
          if (schedule.latest === Number.POSITIVE_INFINITY) return;
          expect(cost(schedule, now)).toBeLessThanOrEqual(Math.max(0.98 * perMonth - spent, 0) + 1e-6);
        },
      ),
    );
  });

  test('has no more latest prices when nothing is left', () => {
    expect(throttled(demo, BUDGETS.demo, 10_000, NOVEMBER + DAY).latest).toBe(Number.POSITIVE_INFINITY);
  });

  test('has each token’s chart often enough that no hour is lost, however little is left', () => {
    for (const spent of [0, 5_000, 9_500, 9_799, 10_000]) {
      const { chart } = throttled(demo, BUDGETS.demo, spent, NOVEMBER + 5 * DAY);
      expect(chart).toBeLessThanOrEqual(23 * HOUR);
    }
    expect(throttled({ latest: HOUR, chart: 2 * DAY }, BUDGETS.demo, 10_000, NOVEMBER).chart).toBe(2 * DAY);
  });

  test('lasts a month that begins in its midst', () => {
    const { latest } = throttled(demo, { perMinute: 30, perMonth: 1_000 }, 0, DECEMBER - DAY);
    expect(latest).toBe(6 * MINUTE);
    expect(throttled(demo, { perMinute: 30, perMonth: 1_000 }, 0, DECEMBER - 20 * DAY).chart).toBeGreaterThan(
      6 * HOUR,
    );
  });
});
