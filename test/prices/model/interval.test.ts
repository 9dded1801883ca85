import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, startOfDate } from '#core/clock';
import {
  dayReady,
  daysWindow,
  INTERVALS,
  isGap,
  isMidnightSample,
  isSettled,
  lastKnowable,
  rangeWindow,
  slotOf,
} from '#prices/model/interval';

const at = (iso: string) => Date.parse(iso);
const instant = fc.integer({ min: at('2013-04-28T00:00:00Z'), max: at('2040-01-01T00:00:00Z') });
const midnight = fc.integer({ min: at('2013-04-28') / DAY, max: at('2040-01-01') / DAY }).map((day) => day * DAY);

test('a slot contains its instants and no others', () => {
  const length = { minute: MINUTE, hour: HOUR, day: DAY };
  fc.assert(
    fc.property(fc.constantFrom(...INTERVALS), instant, (interval, now) => {
      const slot = slotOf(interval, now);
      expect(now - slot).toBeGreaterThanOrEqual(0);
      expect(now - slot).toBeLessThan(length[interval]);
      expect(slotOf(interval, slot)).toBe(slot);
      expect(slotOf(interval, slot - 1)).toBe(slot - length[interval]);
    }),
  );
});

describe('the window of a number of days', () => {
  const now = at('2026-05-15T14:42:25.300Z');

  test.each([
    [1, 'minute', '2026-05-14T14:42:25.300Z'],
    [2, 'hour', '2026-05-13T14:42:25.300Z'],
    [10, 'hour', '2026-05-05T14:42:25.300Z'],
    [11, 'day', '2026-05-05T00:00:00.000Z'],
    [30, 'day', '2026-04-16T00:00:00.000Z'],
    [365, 'day', '2025-05-16T00:00:00.000Z'],
  ])('%d: %s from %s', (days, interval, from) => {
    const window = daysWindow(days, now);
    expect(window).toEqual({
      interval,
      span: { from: at(from), thru: now },
      open: true,
      withLatest: interval === 'day',
    });
  });

  test('above ten days contains that number of midnights, including today’s, at any time of day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 11, max: 36_500 }), instant, (days, moment) => {
        const { span } = daysWindow(days, moment);
        expect(startOfDate(span.from)).toBe(span.from);
        expect((startOfDate(moment) - span.from) / DAY + 1).toBe(days);
      }),
    );
  });
});

describe('the window of a range', () => {
  test('consists of whole dates if it is in the past, and otherwise ends now', () => {
    fc.assert(
      fc.property(fc.constantFrom(...INTERVALS), midnight, fc.nat(4000), instant, (interval, from, length, now) => {
        const thru = from + length * DAY;
        const window = rangeWindow(interval, from, thru, now);
        const ended = now >= thru + DAY;
        expect(window.open).toBe(!ended);
        expect(window.span).toEqual({ from, thru: ended ? thru + DAY - 1 : now });
        expect(window.withLatest).toBe(!ended && interval === 'day');
      }),
    );
  });

  test('is open until exactly midnight after its last date', () => {
    const thru = at('2026-05-15');
    expect(rangeWindow('day', thru, thru, at('2026-05-15T23:59:59.999Z')).open).toBe(true);
    expect(rangeWindow('day', thru, thru, at('2026-05-16T00:00:00.000Z')).open).toBe(false);
  });
});

test('a sample within an hour after midnight belongs to that midnight', () => {
  const midnight = Date.parse('2021-05-15');
  expect([-1, 0, HOUR - 1, HOUR].map((late) => isMidnightSample(midnight + late))).toEqual([false, true, true, false]);
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

  test('a day is ready 40 minutes after its midnight', () => {
    expect(dayReady(at('2026-05-15T23:00:00Z'))).toBe(at('2026-05-15T00:40:00Z'));
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

  test('of today starts at its midnight', () => {
    const from = at('2026-05-15');
    expect(isGap('day', { from, thru: at('2026-05-15T00:41:00Z') })).toBe(true);
    expect(isGap('day', { from, thru: from })).toBe(true);
    expect(isGap('day', { from: from + 1, thru: from + DAY - 1 })).toBe(false);
  });

  test('of shorter intervals is as long as the sample spacing', () => {
    expect(isGap('hour', { from: 0, thru: HOUR - 1 })).toBe(true);
    expect(isGap('hour', { from: 0, thru: HOUR - 2 })).toBe(false);
    expect(isGap('minute', { from: 0, thru: 5 * MINUTE - 1 })).toBe(true);
    expect(isGap('minute', { from: 0, thru: 5 * MINUTE - 2 })).toBe(false);
  });
});
