import { type Period, periodAt, type Term } from '#accounts/ledger/plan';
import { DAY, type Instant, iso, MINUTE, SECOND, startOfDate } from '#core/clock';
import { Problem } from '#core/problems';

/** How long a holder spends from a lease after it asked for it or extended it, in ms: 2 s less than its life. */
const USABLE_FOR = 18 * SECOND;
/** A lease holds what its key spends in so many seconds, and asks for more when half of that is left. */
const BLOCK_SECONDS = 20;
/** The rate of a key that is new, in calls a second. */
const FIRST_RATE = 1;
/** A user is idle after this long without a call, in ms: what is held goes back, but for the few calls that may rest. */
export const IDLE_AFTER = 5 * SECOND;
/** How many calls at most may stay with a lease while its user is idle. */
const MAX_RESTING_CALLS = 20;
/** How long they stay there, in ms. */
export const RESTING_FOR = 10 * MINUTE;
/** Within so many seconds other processes give back what they hold of a user who needs it. */
export const RECALL_SECONDS = 2;

/** A block of a user's allowance in the hands of this process, for one period and one UTC date. */
export type Lease = {
  readonly id: string;
  readonly userKey: number;
  readonly period: Period;
  readonly date: number;
  /** Not spent from before this: the clock was set back into another period or date (Unix ms). */
  readonly usableFrom: number;
  granted: number;
  spent: number;
  /** `spent` as the ledger has it. */
  settled: number;
  seq: number;
  /** Calls that may stay with it while its user is idle, as the ledger granted when the others were given back. */
  resting: number;
  /** Calls whose outcome is not known yet: each may still be given back. */
  inFlight: number;
  /** Calls of the period that nobody had spent or held, as of the ledger's last answer. */
  left: number;
  limit: number;
  /** Not spent from after these, by either clock: Unix ms, and ms of the monotonic one. */
  usableUntil: number;
  usableUntilElapsed: number;
  /** Nothing more is spent from it; what is unspent goes back with the next settlement. */
  closing: boolean;
  /** The ledger knows that it is closed. */
  closed: boolean;
};

export function newLease(id: string, userKey: number, term: Term, limit: number, now: number): Lease {
  const period = periodAt(term.plan, term.anchor, now);
  const date = startOfDate(now);
  return {
    id,
    userKey,
    period,
    date,
    // The first period takes in what lies before it: the anchor may come from a clock that is ahead of this one.
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
  };
}

/**
 * A lease that was asked for at an instant may be spent from for a while: both clocks count, since the wall clock
 * can be set back and the monotonic one can stand still while the machine sleeps. Never past its period or date.
 */
export function extend(lease: Lease, asked: Instant): void {
  lease.usableUntil = Math.min(asked.wall + USABLE_FOR, lease.period.end, lease.date + DAY);
  lease.usableUntilElapsed = asked.elapsed + USABLE_FOR;
}

export function isUsable(lease: Lease, { wall, elapsed }: Instant): boolean {
  if (lease.closing || elapsed >= lease.usableUntilElapsed) return false;
  return wall >= lease.usableFrom && wall < lease.usableUntil;
}

/** Nothing is spent from it until the ledger has answered how much it still holds. */
export function suspend(lease: Lease): void {
  lease.usableUntil = 0;
}

/** Whether its period or date is over, or has not come yet: the clock was set back. */
export const isOver = ({ usableFrom, period, date }: Lease, wall: number): boolean =>
  wall < usableFrom || wall >= Math.min(period.end, date + DAY);

/** Whether a lease is for another period or date than the one that now is. */
export function isPast(lease: Lease, term: Term, now: number): boolean {
  if (now >= lease.date + DAY || now < lease.date) return true;
  return periodAt(term.plan, term.anchor, now).start !== lease.period.start;
}

export const unspent = ({ granted, spent }: Lease) => granted - spent;

/**
 * What is left of the period's allowance, as far as this process knows: never more than there is. What a closed lease held
 * is a part of `left` already.
 */
export const remaining = (lease: Lease) => Math.max(0, lease.left) + (lease.closed ? 0 : unspent(lease));

/**
 * How many calls a lease should hold in all, for a key that spends so many a second while so many are waited for; a new
 * lease at least `firstGrant`.
 */
export function wanted(lease: Lease, rate: number, waiting: number, firstGrant: number): number {
  const first = lease.granted === 0 ? firstGrant : 0;
  return lease.spent + Math.max(waiting, first, Math.ceil(Math.max(rate, FIRST_RATE) * BLOCK_SECONDS));
}

/** How many calls an idle lease asks to keep; 0 when it holds no more than it was allowed to keep already. */
export const restWanted = (lease: Lease): number => (unspent(lease) > lease.resting ? MAX_RESTING_CALLS : 0);

/** Whether it is time to ask for more, so that no call has to wait for it. */
export function isRunningOut(lease: Lease, rate: number): boolean {
  return unspent(lease) < (rate * BLOCK_SECONDS) / 2;
}

/** A call that cost so many stays spent. */
export function keepCall(lease: Lease, cost = 1): void {
  lease.inFlight -= cost;
}

/** A call that cost so many goes back to the lease, and so to the period and date, in which it was spent. */
export function giveBackCall(lease: Lease, cost = 1): void {
  lease.inFlight -= cost;
  lease.spent -= cost;
}

/**
 * The refusal of a call that costs more than is left of the period.
 * @param comesBackIn in how many seconds another process may have given some back
 */
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
      ? `All ${limit} calls of the period that ends at ${ends} are spent.`
      : `Of the ${limit} calls of the period that ends at ${ends} fewer are left than the ${cost} that this costs.`;
  return new Problem('quota_exceeded', detail, { retryAfter });
}
