import { DAY, iso, SECOND, startOfDate } from '#core/clock';
import { Problem } from '#core/problems';
import type { LeaseKey } from '#ledger/statements/lease-rows-store';
import type { Detailed } from '#ledger/usage/call-details';
import { type Period, periodAt, type Term } from '#users/plan';

/**
 * A lease holds calls for a minute at the user's rate, or at one per second. More calls are requested when the
 * remaining calls last for only ten seconds.
 */
const BLOCK_SECONDS = 60;
const RESERVE_SECONDS = 10;
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
export type Lease = Readonly<LeaseKey> &
  Detailed & {
    /** Its end changes with the plan. */
    period: Period;
    /** In Unix ms. Checked because the clock may be set back into an earlier period or date. */
    readonly usableFrom: number;
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
  { limit, plan, anchor }: Term & { limit: number },
  first: Call,
  now: number,
): Lease {
  const period = periodAt(plan, anchor, now);
  const date = startOfDate(now);
  return {
    process,
    userKey,
    periodStart: period.start,
    date,
    keyId: first.keyId,
    path: first.path,
    others: [],
    period,
    // The first period has no lower bound, because the clock that set the anchor may be ahead of this process's clock.
    usableFrom: period.start === anchor ? date : Math.max(date, period.start),
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

export const isUsable = ({ usableFrom, date, period }: Lease, wall: number): boolean =>
  wall >= usableFrom && wall < date + DAY && wall < period.end;

/** Whether two leases of a user have the same row. */
export const hasSameRow = (one: Lease, other: Lease): boolean =>
  one.process === other.process && one.date === other.date && one.periodStart === other.periodStart;

export function isPast(lease: Lease, term: Term, now: number): boolean {
  if (now >= lease.date + DAY || now < lease.date) return true;
  // A period of another plan may have the same start.
  const { start, end } = periodAt(term.plan, term.anchor, now);
  return start !== lease.periodStart || end !== lease.period.end;
}

export const unspent = ({ granted, spent }: Lease) => granted - spent;
export const isReported = ({ changes, reportedChanges }: Lease): boolean => changes === reportedChanges;

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
  const atLeast = lease.granted === 0 ? firstGrant : BLOCK_SECONDS;
  return lease.spent + Math.max(waiting, atLeast, Math.ceil(rate * BLOCK_SECONDS));
}

/** The number of calls that an idle user's lease keeps: at most one in `reservePart` of the remaining calls. */
export const reserveOf = (lease: Lease, reservePart: number): number =>
  Math.max(0, Math.min(unspent(lease), MAX_RESERVE, Math.floor(remaining(lease) / reservePart)));

export const isRunningOut = (lease: Lease, rate: number): boolean => unspent(lease) < rate * RESERVE_SECONDS;

/** @param comesBackIn the time in seconds after which another process may have returned calls */
export function quotaExceeded(cost: number, comesBackIn: number | undefined, lease: Lease, now: number): Problem {
  const { period, limit } = lease;
  const lacking =
    cost === 1
      ? `All ${limit} calls in this period are used.`
      : `The request costs ${cost} calls, but fewer than ${cost} of the ${limit} calls in this period are left.`;
  return new Problem('quota_exceeded', `${lacking} The next period starts at ${iso(period.end)}.`, {
    retryAfter: comesBackIn ?? (period.end - now) / SECOND,
  });
}
