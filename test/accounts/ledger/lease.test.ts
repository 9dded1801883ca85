import { describe, expect, test } from 'vitest';
import {
  extend,
  giveBackCall,
  isOver,
  isPast,
  isRunningOut,
  isUsable,
  type Lease,
  newLease,
  remaining,
  restWanted,
  suspend,
  wanted,
} from '#accounts/ledger/lease';
import { DAY, HOUR, SECOND } from '#core/clock';

const ANCHOR = Date.UTC(2026, 4, 10, 12);
const PERIOD_END = Date.UTC(2026, 5, 10, 12);
const TERM = { plan: 'monthly', anchor: ANCHOR, validUntil: PERIOD_END } as const;
const PAGE = 50;

/** A lease that was requested at an instant (Unix ms), when the monotonic clock was at 0. */
function leaseAt(wall: number, given: Partial<Lease> = {}): Lease {
  const lease = {
    ...newLease('id', 1, { ...TERM, limit: 10_000 }, { keyId: 1, path: 1, cost: 1 }, wall),
    granted: 10,
    ...given,
  };
  extend(lease, { wall, elapsed: 0 });
  return lease;
}

describe('a lease is usable', () => {
  const NOON = ANCHOR + DAY;

  test('for 18 s after its request, by both clocks', () => {
    const lease = leaseAt(NOON);
    expect(isUsable(lease, { wall: NOON + 18 * SECOND - 1, elapsed: 18 * SECOND - 1 })).toBe(true);
    expect(isUsable(lease, { wall: NOON, elapsed: 18 * SECOND })).toBe(false);
    expect(isUsable(lease, { wall: NOON + 18 * SECOND, elapsed: 0 })).toBe(false);
  });

  test.each([
    ['date', Date.UTC(2026, 4, 12)],
    ['period', PERIOD_END],
  ])('until its %s ends', (_what, end) => {
    const lease = leaseAt(end - SECOND);
    expect(isUsable(lease, { wall: end - 1, elapsed: SECOND - 1 })).toBe(true);
    expect(isUsable(lease, { wall: end, elapsed: SECOND })).toBe(false);
  });

  test('neither before its date nor before its period, in case the clock is set back', () => {
    for (const start of [Date.UTC(2026, 4, 12), PERIOD_END]) {
      const lease = leaseAt(start);
      expect(isUsable(lease, { wall: start, elapsed: 0 })).toBe(true);
      expect(isUsable(lease, { wall: start - 1, elapsed: 0 })).toBe(false);
      expect(isOver(lease, start)).toBe(false);
      expect(isOver(lease, start - 1)).toBe(true);
    }
  });

  test('not while it is closing or suspended', () => {
    const [closing, suspended] = [leaseAt(NOON, { closing: true }), leaseAt(NOON)];
    suspend(suspended);
    for (const lease of [closing, suspended]) expect(isUsable(lease, { wall: NOON, elapsed: 0 })).toBe(false);
  });
});

test.each([
  ['on its date', 0, false],
  ['at the first millisecond of the next date', 12 * HOUR, true],
  ['on the day before', -12 * HOUR - 1, true],
])('isPast() %s', (_when, after, isIt) => {
  const now = ANCHOR + DAY;
  expect(isPast(leaseAt(now), TERM, now + after)).toBe(isIt);
});

test('a lease is past at the end of its period, even within a date', () => {
  const lease = leaseAt(PERIOD_END - 1);
  expect(isPast(lease, TERM, PERIOD_END - 1)).toBe(false);
  expect(isPast(lease, TERM, PERIOD_END)).toBe(true);
});

describe('a lease requests', () => {
  test("a page's calls at first, then the calls of twenty seconds, and at least the waiting calls", () => {
    const [fresh, known] = [leaseAt(ANCHOR, { granted: 0 }), leaseAt(ANCHOR, { spent: 4 })];
    expect(wanted(fresh, 0, 1, PAGE)).toBe(50);
    expect(wanted(known, 0, 1, PAGE)).toBe(24);
    expect(wanted(known, 3.01, 1, PAGE)).toBe(65);
    expect(wanted(fresh, 0, 80, PAGE)).toBe(80);
    expect(wanted(known, 3, 80, PAGE)).toBe(84);
  });

  test('more calls once half of them are spent', () => {
    expect(isRunningOut(leaseAt(ANCHOR, { granted: 40, spent: 20 }), 2)).toBe(false);
    expect(isRunningOut(leaseAt(ANCHOR, { granted: 40, spent: 21 }), 2)).toBe(true);
  });
});

test('an idle lease requests to keep calls only if it holds more than it already may keep', () => {
  expect(restWanted(leaseAt(ANCHOR, { spent: 4, resting: 5 }))).toBe(20);
  expect(restWanted(leaseAt(ANCHOR, { spent: 4, resting: 6 }))).toBe(0);
});

test("the remaining calls are those that no lease holds and the lease's own; a refund adds one", () => {
  const lease = leaseAt(ANCHOR, { spent: 4, inFlight: 1, left: 90 });
  expect(remaining(lease)).toBe(96);
  giveBackCall(lease);
  expect(lease).toMatchObject({ spent: 3, inFlight: 0 });
  expect(remaining(lease)).toBe(97);
  expect(remaining({ ...lease, left: -5 })).toBe(7);
  expect(remaining({ ...lease, closed: true }), 'its calls were returned').toBe(90);
});
