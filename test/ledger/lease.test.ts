import { describe, expect, test } from 'vitest';
import { DAY, HOUR, SECOND } from '#core/clock';
import {
  count,
  isPast,
  isRunningOut,
  isUsable,
  type Lease,
  type LeaseState,
  move,
  newLease,
  remaining,
  reserveOf,
  wanted,
} from '#ledger/lease';

const ANCHOR = Date.UTC(2026, 4, 10, 12);
const PERIOD_END = Date.UTC(2026, 5, 10, 12);
const TERM = { plan: 'monthly', anchor: ANCHOR, validUntil: PERIOD_END } as const;
const PAGE = 50;

/** A lease that was requested at an instant (Unix ms). */
const leaseAt = (wall: number, given: Partial<Lease> = {}): Lease => ({
  ...newLease('id', 1, { ...TERM, limit: 10_000 }, { keyId: 1, path: 1, cost: 1 }, wall),
  granted: 10,
  ...given,
});

describe('a lease is usable', () => {
  test.each([
    ['date', Date.UTC(2026, 4, 12)],
    ['period', PERIOD_END],
  ])('until its %s ends', (_what, end) => {
    const lease = leaseAt(end - SECOND);
    expect(isUsable(lease, end - 1)).toBe(true);
    expect(isUsable(lease, end)).toBe(false);
  });

  test('neither before its date nor before its period, in case the clock is set back', () => {
    for (const start of [Date.UTC(2026, 4, 12), PERIOD_END]) {
      const lease = leaseAt(start);
      expect(isUsable(lease, start)).toBe(true);
      expect(isUsable(lease, start - 1)).toBe(false);
    }
  });

  test("before the user's first period, because the clock that set its start may be ahead", () => {
    expect(isUsable(leaseAt(ANCHOR), ANCHOR - 1)).toBe(true);
  });
});

test('a lease is new, then open, then being closed, then closed; only closing is repeated', () => {
  const lease = leaseAt(ANCHOR);
  expect(lease).toMatchObject({ state: 'new', others: [] });
  for (const state of ['open', 'closing', 'closing', 'closed'] as const) move(lease, state);
  expect(lease.state).toBe('closed');
});

test.each<[LeaseState, LeaseState]>([
  ['new', 'closing'],
  ['open', 'new'],
  ['open', 'closed'],
  ['closing', 'open'],
  ['closed', 'open'],
])('a lease that is %s never becomes %s', (state, next) => {
  expect(() => move(leaseAt(ANCHOR, { state }), next)).toThrow(`a lease that is ${state} cannot become ${next}`);
});

test.each([
  ['on its date', 0, false],
  ['at the first millisecond of its date', -12 * HOUR, false],
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

test.each([
  ['start', ANCHOR],
  ['end', Date.UTC(2025, 5, 10, 12)],
])('a lease is past once the period of another plan has the same %s', (_what, anchor) => {
  expect(isPast(leaseAt(ANCHOR), { ...TERM, plan: 'yearly', anchor }, ANCHOR)).toBe(true);
});

describe('a lease requests', () => {
  test("a page's calls at first, then the calls of a minute, and at least the waiting calls", () => {
    const [fresh, known] = [leaseAt(ANCHOR, { granted: 0 }), leaseAt(ANCHOR, { spent: 4 })];
    expect(wanted(fresh, 0, 1, PAGE)).toBe(50);
    expect(wanted(known, 0, 1, PAGE)).toBe(64);
    expect(wanted(known, 3.01, 1, PAGE)).toBe(185);
    expect(wanted(fresh, 0, 80, PAGE)).toBe(80);
    expect(wanted(known, 1, 80, PAGE)).toBe(84);
  });

  test('more calls once those of ten seconds remain', () => {
    expect(isRunningOut(leaseAt(ANCHOR, { granted: 120, spent: 100 }), 2)).toBe(false);
    expect(isRunningOut(leaseAt(ANCHOR, { granted: 120, spent: 101 }), 2)).toBe(true);
  });
});

test('an idle lease keeps at most twenty calls, and at most a part of the remaining calls', () => {
  const lease = leaseAt(ANCHOR, { granted: 50, spent: 10, left: 24_000 });
  expect(reserveOf(lease, 1_000)).toBe(20);
  expect(reserveOf({ ...lease, left: 8_000 }, 1_000)).toBe(8);
  expect(reserveOf({ ...lease, granted: 15 }, 1_000)).toBe(5);
  expect(reserveOf({ ...lease, left: 900 }, 1_000)).toBe(0);
  expect(reserveOf({ ...lease, granted: 8 }, 1_000)).toBe(0);
});

test("the remaining calls are those that no lease holds and the lease's own; a refund adds one", () => {
  const lease = leaseAt(ANCHOR, { spent: 4, inFlight: 1, left: 90 });
  expect(remaining(lease)).toBe(96);
  count(lease, -1);
  expect(lease).toMatchObject({ spent: 3, changes: 1 });
  expect(remaining(lease)).toBe(97);
  expect(remaining({ ...lease, left: -5 })).toBe(7);
  expect(remaining({ ...lease, granted: 1 }), 'the lease is overspent').toBe(90);
});
