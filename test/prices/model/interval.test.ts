import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, startOfDate } from '#core/clock';
import {
  INTERVALS,
  intervalStart,
  isGap,
  isMidnightSample,
  isSettled,
  lastKnowable,
  midnightOf,
} from '#prices/model/interval';

const at = (iso: string) => Date.parse(iso);
const instant = fc.integer({ min: at('2013-04-28T00:00:00Z'), max: at('2040-01-01T00:00:00Z') });

test('a slot contains its instants and no others', () => {
  const length = { minute: MINUTE, hour: HOUR, day: DAY };
  fc.assert(
    fc.property(fc.constantFrom(...INTERVALS), instant, (interval, now) => {
      const slot = intervalStart(interval, now);
      expect(now - slot).toBeGreaterThanOrEqual(0);
      expect(now - slot).toBeLessThan(length[interval]);
      expect(intervalStart(interval, slot)).toBe(slot);
      expect(intervalStart(interval, slot - 1)).toBe(slot - length[interval]);
    }),
  );
});

test('a row within an hour after midnight belongs to that midnight', () => {
  const midnight = Date.parse('2021-05-15');
  expect([-1, 0, HOUR - 1, HOUR].map((late) => isMidnightSample(midnight + late))).toEqual([false, true, true, false]);
});

test('a sample within ten minutes of a midnight belongs to that midnight', () => {
  const midnight = Date.parse('2021-05-15');
  const apart = [-10 * MINUTE - 1, -10 * MINUTE, -1, 0, 10 * MINUTE, 10 * MINUTE + 1].map((late) => midnight + late);
  expect(apart.map(midnightOf)).toEqual([undefined, midnight, midnight, midnight, midnight, undefined]);
});

test('a daily sample that is not at midnight is never settled', () => {
  const late = Date.parse('2021-05-15T01:00:00Z');
  expect([late - 1, late].map((at) => isSettled('day', at, late + 365 * DAY))).toEqual([true, false]);
});

describe('a sample is settled', () => {
  const midnightOf15th = at('2026-05-15');
  test.each([
    ['day', '2026-05-15T00:39:59.999Z', false],
    ['day', '2026-05-15T00:40:00.000Z', true],
    ['day', '2026-05-14T23:59:59.999Z', false],
    ['hour', '2026-05-15T02:00:00.000Z', false],
    ['hour', '2026-05-15T02:00:00.001Z', true],
    ['minute', '2026-05-15T02:00:00.000Z', false],
    ['minute', '2026-05-15T02:00:00.001Z', true],
  ] as const)('%s, fetched at %s: %s', (interval, fetched, settled) => {
    expect(isSettled(interval, midnightOf15th, at(fetched))).toBe(settled);
  });

  test('once, and permanently', () => {
    fc.assert(
      fc.property(fc.constantFrom(...INTERVALS), instant, fc.nat(3 * DAY), fc.nat(3 * DAY), (interval, of, a, b) => {
        const [earlier, later] = [Math.min(a, b), Math.max(a, b)];
        if (isSettled(interval, of, of + earlier)) expect(isSettled(interval, of, of + later)).toBe(true);
      }),
    );
  });
});

describe('the end of known data', () => {
  test.each([
    ['2026-05-15T00:00:00.000Z', '2026-05-14T23:59:59.999Z'],
    ['2026-05-15T00:39:59.999Z', '2026-05-14T23:59:59.999Z'],
    ['2026-05-15T00:40:00.000Z', '2026-05-15T23:59:59.999Z'],
    ['2026-05-15T23:59:59.999Z', '2026-05-15T23:59:59.999Z'],
  ])('at %s, daily data is known until %s', (now, thru) => {
    expect(lastKnowable('day', at(now))).toBe(at(thru));
    expect(lastKnowable('hour', at(now))).toBe(at(now));
  });
});

describe('a gap', () => {
  test('of days contains a midnight, however short it is', () => {
    fc.assert(
      fc.property(instant, fc.nat(3 * DAY), (from, length) => {
        const thru = from + length;
        const holds = startOfDate(thru) >= from;
        expect(isGap('day', { from, thru })).toBe(holds);
      }),
    );
  });

  test('of shorter intervals is as long as the sample spacing', () => {
    expect(isGap('hour', { from: 0, thru: HOUR - 1 })).toBe(true);
    expect(isGap('hour', { from: 0, thru: HOUR - 2 })).toBe(false);
    expect(isGap('minute', { from: 0, thru: 5 * MINUTE - 1 })).toBe(true);
    expect(isGap('minute', { from: 0, thru: 5 * MINUTE - 2 })).toBe(false);
  });
});
