import { randomBytes } from 'node:crypto';
import { type Period, periodAt, type Term } from '#accounts/ledger/plan';
import type { Detailed } from '#accounts/usage/call-details';
import { DAY, type Instant, iso, MINUTE, SECOND, startOfDate } from '#core/clock';
import { Problem } from '#core/problems';

/** How long calls may be spent after the lease was requested or extended, in ms: 2 s less than the lease's lifetime. */
const USABLE_FOR = 18 * SECOND;
/** A lease holds the calls of this time at the user's rate. It is extended when less than half of them remain. */
const BLOCK_SECONDS = 20;
const FIRST_RATE = 1;
/** A user without a call for this time is idle, in ms. An idle user's lease returns all but a few of its calls. */
export const IDLE_AFTER = 5 * SECOND;
const MAX_RESTING_CALLS = 20;
/** An open lease is settled at least this often, in ms: its row must not expire for processes of earlier releases. */
const SETTLE_EVERY = 10 * MINUTE;
/** How long an idle user's lease stays open with the calls that it kept, in ms. */
export const RESTING_FOR = 10 * MINUTE;
/** Within this time, other processes return their leased calls to a user who needs them. */
export const RECALL_SECONDS = 2;

/** Leases of this process that are reported together. */
export type LeaseGroup = {
  readonly id: string;
  /** By slot, without free slots at the end. */
  readonly leases: (Lease | undefined)[];
  /** The number of leases. */
  held: number;
  /** The number of the last report. */
  seq: number;
  reportedAt: number;
};

/** A lease's place in a group; `slot` counts from 0. */
export type Place = { readonly group: LeaseGroup; readonly slot: number };

/** Calls of a user's allowance that this process holds, for one period and one UTC date. */
export type Lease = Detailed & {
  readonly id: string;
  readonly userKey: number;
  readonly period: Period;
  readonly date: number;
  /** In Unix ms. Checked because the clock may be set back into an earlier period or date. */
  readonly usableFrom: number;
  granted: number;
  settled: number;
  seq: number;
  /** The number of calls that the ledger lets the lease keep while the user is idle. */
  resting: number;
  inFlight: number;
  /** Calls of the period that were neither spent nor leased when the ledger last responded. */
  left: number;
  limit: number;
  /** The lease ends at the earlier of these instants: in Unix ms, and in ms of the monotonic clock. */
  usableUntil: number;
  usableUntilElapsed: number;
  /** No more calls are spent from the lease. The next settlement returns its unspent calls. */
  closing: boolean;
  closed: boolean;
  /** Where the lease is reported. A lease that moves has two places until the ledger has stored the second. */
  places: Place[];
  /** When the ledger last responded to a settlement of the lease, in ms of the monotonic clock. */
  settledAt: number;
};

/** A charged call. `path` is its number in `usage-paths.ts`. */
export type Call = { readonly keyId: number; readonly path: number; readonly cost: number };

/**
 * An instant (Unix ms) and 80 random bits, so that the primary key finds new leases. A flat string: `randomUUID`
 * concatenates twenty strings, all of which stay in memory.
 */
export function newId(now: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Math.floor(now), 0, 6);
  return bytes.toString('hex');
}

/** The lowest ID of an instant (Unix ms). Processes of earlier releases use random IDs, most of which are higher. */
export const firstId = (now: number): string => Math.floor(now).toString(16).padStart(12, '0').padEnd(32, '0');

/** `first`: the call for which the lease is requested. */
export function newLease(
  id: string,
  userKey: number,
  { limit, ...term }: Term & { limit: number },
  { keyId, path }: Call,
  now: number,
): Lease {
  const period = periodAt(term.plan, term.anchor, now);
  const date = startOfDate(now);
  return {
    id,
    userKey,
    keyId,
    path,
    others: [],
    period,
    date,
    // The first period has no lower bound, because the clock that set the anchor may be ahead of this process's clock.
    usableFrom: period.start === term.anchor ? date : Math.max(date, period.start),
    granted: 0,
    spent: 0,
    settled: 0,
    seq: 0,
    resting: 0,
    inFlight: 0,
    left: 0,
    limit,
    usableUntil: 0,
    usableUntilElapsed: 0,
    closing: false,
    closed: false,
    places: [],
    settledAt: 0,
  };
}

/** Checks both clocks: the wall clock can be set back, and the monotonic clock stops while the machine sleeps. */
export function extend(lease: Lease, request: Instant): void {
  lease.usableUntil = Math.min(request.wall + USABLE_FOR, lease.period.end, lease.date + DAY);
  lease.usableUntilElapsed = request.elapsed + USABLE_FOR;
}

export function isUsable(lease: Lease, { wall, elapsed }: Instant): boolean {
  if (lease.closing || elapsed >= lease.usableUntilElapsed) return false;
  return wall >= lease.usableFrom && wall < lease.usableUntil;
}

/** Whether it is not enough to report the lease with its group. */
export function mustBeSettled(lease: Lease, now: Instant): boolean {
  return lease.places.length === 0 || !isUsable(lease, now) || now.elapsed - lease.settledAt >= SETTLE_EVERY;
}

/** Spends nothing from the lease until the ledger has confirmed how many calls it still holds. */
export function suspend(lease: Lease): void {
  lease.usableUntil = 0;
}

export const isOver = ({ usableFrom, period, date }: Lease, wall: number): boolean =>
  wall < usableFrom || wall >= Math.min(period.end, date + DAY);

export function isPast(lease: Lease, term: Term, now: number): boolean {
  if (now >= lease.date + DAY || now < lease.date) return true;
  // A period of another plan may have the same start.
  const { start, end } = periodAt(term.plan, term.anchor, now);
  return start !== lease.period.start || end !== lease.period.end;
}

export const unspent = ({ granted, spent }: Lease) => granted - spent;

/** A lower bound of the period's remaining calls. For a closed lease, `left` already includes its calls. */
export const remaining = (lease: Lease) => Math.max(0, lease.left) + (lease.closed ? 0 : unspent(lease));

/**
 * The total number of calls that a lease should hold. `rate` is in calls per second; `waiting` is the number of calls
 * that wait for a grant. A new lease holds at least `firstGrant`.
 */
export function wanted(lease: Lease, rate: number, waiting: number, firstGrant: number): number {
  const first = lease.granted === 0 ? firstGrant : 0;
  return lease.spent + Math.max(waiting, first, Math.ceil(Math.max(rate, FIRST_RATE) * BLOCK_SECONDS));
}

/** The number of calls that an idle lease requests to keep; 0 if the ledger already allows it to keep its calls. */
export const restWanted = (lease: Lease): number => (unspent(lease) > lease.resting ? MAX_RESTING_CALLS : 0);

export function isRunningOut(lease: Lease, rate: number): boolean {
  return unspent(lease) < (rate * BLOCK_SECONDS) / 2;
}

/** Refunds a call in the period and on the date in which it was charged. */
export function giveBackCall(lease: Lease, cost = 1): void {
  lease.inFlight -= cost;
  lease.spent -= cost;
}

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
