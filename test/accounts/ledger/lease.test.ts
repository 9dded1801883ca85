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

/** A lease requested at an instant (Unix ms), when the monotonic clock was at 0. */
function leaseAt(wall: number, given: Partial<Lease> = {}): Lease {
  const lease = { ...newLease('id', 1, TERM, 10_000, wall), granted: 10, ...given };
  extend(lease, { wall, elapsed: 0 });
  return lease;
}

describe('a lease may be spent from', () => {
  const NOON = ANCHOR + DAY;

  test('for 18 s after its request, by either clock', () => {
    const lease = leaseAt(NOON);
    expect(isUsable(lease, { wall: NOON + 18 * SECOND - 1, elapsed: 18 * SECOND - 1 })).toBe(true);
    expect(isUsable(lease, { wall: NOON, elapsed: 18 * SECOND })).toBe(false);
    expect(isUsable(lease, { wall: NOON + 18 * SECOND, elapsed: 0 })).toBe(false);
  });

  test.each([
    ['date', Date.UTC(2026, 4, 12)],
    ['period', PERIOD_END],
  ])('until its %s is over', (_what, end) => {
    const lease = leaseAt(end - SECOND);
    expect(isUsable(lease, { wall: end - 1, elapsed: SECOND - 1 })).toBe(true);
    expect(isUsable(lease, { wall: end, elapsed: SECOND })).toBe(false);
  });

  test('not before its date, nor before its period, which the clock may be set back into', () => {
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
  ['in its date', 0, false],
  ['at the first millisecond of the next', 12 * HOUR, true],
  ['the day before', -12 * HOUR - 1, true],
])('whether it is past %s', (_when, after, isIt) => {
  const now = ANCHOR + DAY;
  expect(isPast(leaseAt(now), TERM, now + after)).toBe(isIt);
});

test('it is past at the end of its period, in the midst of a date', () => {
  const lease = leaseAt(PERIOD_END - 1);
  expect(isPast(lease, TERM, PERIOD_END - 1)).toBe(false);
  expect(isPast(lease, TERM, PERIOD_END)).toBe(true);
});

describe('a lease should hold', () => {
  test('a page’s calls at first, then what its key spends in twenty seconds, and what waits at the least', () => {
    const [fresh, known] = [leaseAt(ANCHOR, { granted: 0 }), leaseAt(ANCHOR, { spent: 4 })];
    expect(wanted(fresh, 0, 1, PAGE)).toBe(50);
    expect(wanted(known, 0, 1, PAGE)).toBe(24);
    expect(wanted(known, 3.01, 1, PAGE)).toBe(65);
    expect(wanted(fresh, 0, 80, PAGE)).toBe(80);
    expect(wanted(known, 3, 80, PAGE)).toBe(84);
  });

  test('more once half of that is spent', () => {
    expect(isRunningOut(leaseAt(ANCHOR, { granted: 40, spent: 20 }), 2)).toBe(false);
    expect(isRunningOut(leaseAt(ANCHOR, { granted: 40, spent: 21 }), 2)).toBe(true);
  });
});

test('calls rest with a lease that holds more than was left it to rest', () => {
  expect(restWanted(leaseAt(ANCHOR, { spent: 4, resting: 5 }))).toBe(20);
  expect(restWanted(leaseAt(ANCHOR, { spent: 4, resting: 6 }))).toBe(0);
});

test('the remaining calls are those without a holder and its own; a returned call adds one', () => {
  const lease = leaseAt(ANCHOR, { spent: 4, inFlight: 1, left: 90 });
  expect(remaining(lease)).toBe(96);
  giveBackCall(lease);
  expect(lease).toMatchObject({ spent: 3, inFlight: 0 });
  expect(remaining(lease)).toBe(97);
  expect(remaining({ ...lease, left: -5 })).toBe(7);
  expect(remaining({ ...lease, closed: true }), 'what it held went back').toBe(90);
});
