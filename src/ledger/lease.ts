import { DAY, iso, SECOND, startOfDate } from '#core/clock';
import { Problem } from '#core/problems';
import type { Detailed } from '#ledger/usage/call-details';
import { type Period, periodAt, type Term } from '#users/plan';

/** A lease holds the calls of a minute at the user's rate. More are requested when those of ten seconds remain. */
const BLOCK_SECONDS = 60;
const RESERVE_SECONDS = 10;
const FIRST_RATE = 1;
/** A user without a call for this time is idle, in ms. An idle user's lease returns all but a few of its calls. */
export const IDLE_AFTER = 5 * SECOND;
const MAX_RESERVE = 20;
/** Within this time, other processes return their leased calls to a user who needs them. */
export const RECALL_SECONDS = 2;

/**
 * - `new`: the ledger has no row. Calls wait for it, and for a grant.
 * - `open`: calls are spent from the lease while it is its user's current one.
 * - `closing`: all calls are reported, none is in flight, and the statement that removes the row may have been executed.
 *   Nothing else is done with the lease until the ledger has confirmed that statement.
 * - `closed`: the ledger has no row.
 */
export type LeaseState = 'new' | 'open' | 'closing' | 'closed';

const NEXT: Readonly<Record<LeaseState, readonly LeaseState[]>> = {
  new: ['open'],
  open: ['closing'],
  closing: ['closing', 'closed'],
  closed: [],
};

/** Calls of a user's allowance that this process holds, for one period and one UTC date. Figures are totals. */
export type Lease = Detailed & {
  readonly process: string;
  readonly userKey: number;
  /** Its end changes with the plan. */
  period: Period;
  readonly date: number;
  /** In Unix ms. Both are checked, because the clock may be set back into an earlier period or date. */
  readonly usableFrom: number;
  usableUntil: number;
  state: LeaseState;
  granted: number;
  /** The spent calls that the ledger has recorded. */
  settled: number;
  inFlight: number;
  /** The number of changes to the spent calls and their details, and that of the last recorded report. */
  changes: number;
  reportedChanges: number;
  /** Calls of the period that were neither spent nor leased when the ledger last responded. */
  left: number;
  limit: number;
};

/** A charged call. `path` is its number in `usage-paths.ts`. */
export type Call = { readonly keyId: number; readonly path: number; readonly cost: number };

export function move(lease: Lease, to: LeaseState): void {
  if (!NEXT[lease.state].includes(to)) throw new Error(`a lease that is ${lease.state} cannot become ${to}`);
  lease.state = to;
}

/** `first`: the call for which the lease is requested. */
export function newLease(
  process: string,
  userKey: number,
  { limit, ...term }: Term & { limit: number },
  { keyId, path }: Call,
  now: number,
): Lease {
  const period = periodAt(term.plan, term.anchor, now);
  const date = startOfDate(now);
  return {
    process,
    userKey,
    keyId,
    path,
    others: [],
    period,
    date,
    // The first period has no lower bound, because the clock that set the anchor may be ahead of this process's clock.
    usableFrom: period.start === term.anchor ? date : Math.max(date, period.start),
    usableUntil: Math.min(period.end, date + DAY),
    state: 'new',
    granted: 0,
    spent: 0,
    settled: 0,
    inFlight: 0,
    changes: 0,
    reportedChanges: 0,
    left: 0,
    limit,
  };
}

export const isUsable = ({ usableFrom, usableUntil }: Lease, wall: number): boolean =>
  wall >= usableFrom && wall < usableUntil;

export const keyOf = ({ process, userKey, period, date }: Lease) => ({
  process,
  userKey,
  periodStart: period.start,
  date,
});

/** Whether two leases have the same row. */
export const hasSameRow = (one: Lease, other: Lease): boolean =>
  one.process === other.process && one.date === other.date && one.period.start === other.period.start;

export function isPast(lease: Lease, term: Term, now: number): boolean {
  if (now >= lease.date + DAY || now < lease.date) return true;
  // A period of another plan may have the same start.
  const { start, end } = periodAt(term.plan, term.anchor, now);
  return start !== lease.period.start || end !== lease.period.end;
}

export const unspent = ({ granted, spent }: Lease) => granted - spent;
export const isReported = ({ changes, reportedChanges }: Lease): boolean => changes === reportedChanges;
/** Whether the ledger's row contains everything, so that the lease can be closed. */
export const isComplete = (lease: Lease): boolean => lease.inFlight === 0 && isReported(lease);

/** A lower bound of the period's remaining calls. */
export const remaining = (lease: Lease) => Math.max(0, lease.left) + Math.max(0, unspent(lease));

/** Adds calls to a lease, or refunds calls (a negative `cost`), in the period and on the date of the lease. */
export function count(lease: Lease, cost: number): void {
  lease.spent += cost;
  lease.changes += 1;
}

/**
 * The total number of calls that a lease should hold. `rate` is in calls per second; `waiting` is the number of calls
 * that wait for a grant. A new lease holds at least `firstGrant`.
 */
export function wanted(lease: Lease, rate: number, waiting: number, firstGrant: number): number {
  const atLeast = lease.granted === 0 ? firstGrant : FIRST_RATE * BLOCK_SECONDS;
  return lease.spent + Math.max(waiting, atLeast, Math.ceil(rate * BLOCK_SECONDS));
}

/** The number of calls that an idle user's lease keeps: at most one in `reservePart` of the remaining calls. */
export const reserveOf = (lease: Lease, reservePart: number): number =>
  Math.max(0, Math.min(unspent(lease), MAX_RESERVE, Math.floor(remaining(lease) / reservePart)));

export const isRunningOut = (lease: Lease, rate: number): boolean => unspent(lease) < rate * RESERVE_SECONDS;

/** @param comesBackIn the time in seconds after which another process may have returned calls */
export function quotaExceeded(
  cost: number,
  comesBackIn: number | undefined,
  { period, limit }: Pick<Lease, 'period' | 'limit'>,
  now: number,
): Problem {
  const retryAfter = comesBackIn ?? (period.end - now) / SECOND;
  const ends = iso(period.end);
  const detail =
    cost === 1
      ? `All ${limit} calls in this period are used. The next period starts at ${ends}.`
      : `The request costs ${cost} calls, but fewer than ${cost} of the ${limit} calls in this period are left. The next period starts at ${ends}.`;
  return new Problem('quota_exceeded', detail, { retryAfter });
}
