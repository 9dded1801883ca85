import { type Instant, instantOf, MINUTE, SECOND } from '#core/clock';
import { MAX_DETAILS } from '#ledger/usage/call-details';
import type { Term } from '#users/plan';
import { type Call, hasSameRow, isPast, isUsable, type Lease, newLease, reserveOf, unspent } from './lease.ts';
import type { Membership } from './membership.ts';

/** A user without a call for this time is idle, in ms. An idle user's lease returns all but a few of its calls. */
const IDLE_AFTER = 5 * SECOND;
/** The state of a user without a lease is deleted after this time, in ms. */
const FORGOTTEN = MINUTE;
/** How long an idle user's lease stays open with the calls that it kept, in ms. */
const KEPT_FOR = 10 * MINUTE;

export type Spender = Term & { key: number; limit: number };

export type Quota = {
  readonly userKey: number;
  /** The lease from which calls are spent, and others with a row in the ledger. */
  lease: Lease | undefined;
  past: Lease[];
  /** The rate in calls per second as of the last tick, and the number of calls since that tick. */
  rate: number;
  callsThisTick: number;
  lastCallAt: number;
  /** The costs of waiting calls. */
  waiting: number[];
  /** Another process may need the unspent calls, or the limit has changed. */
  isRecalled: boolean;
  /** A statement with the user is being executed. No other includes the user. */
  isBusy: boolean;
  /** Settled with the user's next statement. */
  asked: PromiseWithResolvers<void> | undefined;
  /** The cost that the ledger could not grant, when to retry, and the seconds until calls may be returned. */
  exhausted: { cost: number; until: number; comesBackIn: number | undefined } | undefined;
};

/** This process, and the users for whom it holds or recently held leases. */
export type Ledger = Membership & {
  readonly quotas: Map<number, Quota>;
  /** Users who wait for their next statement. */
  readonly queue: Set<Quota>;
  /** Statements for waiting calls that are being executed. */
  running: number;
  isScheduled: boolean;
  /** The number of the last report. */
  reports: number;
  /** When the rates of the users were last measured. */
  measuredAt: number;
  sweepsAt: number;
  /** Calls that the database has recorded. Later refunds are not subtracted. */
  settledCalls: number;
  readonly firstGrant: number;
  /** Idle users' leases keep at most one in this many of a period's remaining calls. */
  readonly reservePart: number;
  /** How long a call pauses before it retries while other processes return calls, in ms. */
  readonly recallMs: number;
  /** Called with the time that a call waited for the ledger, in ms. */
  readonly observeWait: ((ms: number) => void) | undefined;
};

export const isIdle = ({ lastCallAt, waiting }: Quota, elapsed: number): boolean =>
  waiting.length === 0 && elapsed - lastCallAt >= IDLE_AFTER;

export const leasesIn = ({ lease, past }: Quota): Lease[] => (lease ? [...past, lease] : past);

export function leasesOf({ quotas }: Ledger, userKey: number): Lease[] {
  const quota = quotas.get(userKey);
  return quota ? leasesIn(quota) : [];
}

export function quotaOf({ quotas, clock }: Ledger, userKey: number): Quota {
  let quota = quotas.get(userKey);
  if (quota) return quota;
  quota = {
    userKey,
    lease: undefined,
    past: [],
    rate: 0,
    callsThisTick: 0,
    lastCallAt: clock.elapsed(),
    waiting: [],
    isRecalled: false,
    isBusy: false,
    asked: undefined,
    exhausted: undefined,
  };
  quotas.set(userKey, quota);
  return quota;
}

/** No more calls are spent from the user's lease. */
export function endLease(quota: Quota): void {
  if (quota.lease && quota.lease.state !== 'new') quota.past.push(quota.lease);
  quota.lease = undefined;
  // It concerned the period of the lease, or the limit may have changed.
  quota.exhausted = undefined;
}

/** Returns the lease of the current period and date, or creates one without calls. */
export function currentLease({ clock, id }: Ledger, quota: Quota, spender: Spender, call: Call): Lease {
  const now = clock.now();
  const { lease } = quota;
  if (lease?.process === id && !isPast(lease, spender, now)) return lease;
  endLease(quota);
  const fresh = newLease(id, spender.key, spender, call, now);
  // The clock was set back, or the lease was about to be closed.
  const same = quota.past.find((one) => one.state !== 'closing' && hasSameRow(one, fresh));
  if (same) {
    quota.past.splice(quota.past.indexOf(same), 1);
    same.period = fresh.period;
  }
  quota.lease = same ?? fresh;
  return quota.lease;
}

function hasToEnd({ id, reservePart }: Ledger, quota: Quota, lease: Lease, { wall, elapsed }: Instant): boolean {
  if (!isUsable(lease, wall) || lease.process !== id) return true;
  if (lease.inFlight > 0 || quota.waiting.length > 0) return false;
  if (isIdle(quota, elapsed) && reserveOf(lease, reservePart) === 0) return true;
  return elapsed - quota.lastCallAt >= KEPT_FOR || lease.others.length > MAX_DETAILS;
}

/** Each tick: measures rates, ends leases, deletes idle states. Returns the number of active users. */
export function reviewQuotas(ledger: Ledger): number {
  const now = instantOf(ledger.clock);
  const seconds = Math.max(SECOND, now.elapsed - ledger.measuredAt) / SECOND;
  ledger.measuredAt = now.elapsed;
  let activeUsers = 0;
  for (const [key, quota] of ledger.quotas) {
    const recent = quota.callsThisTick / seconds;
    quota.rate = Math.max(recent, (quota.rate + recent) / 2);
    quota.callsThisTick = 0;
    const idle = now.elapsed - quota.lastCallAt;
    if (idle < IDLE_AFTER) activeUsers += 1;
    if (quota.lease && !quota.isBusy && hasToEnd(ledger, quota, quota.lease, now)) endLease(quota);
    if (!quota.lease && quota.past.length === 0 && !quota.asked && idle >= FORGOTTEN) ledger.quotas.delete(key);
  }
  return activeUsers;
}

export const areClosed = ({ quotas }: Ledger): boolean =>
  [...quotas.values()].every(({ lease, past }) => !lease && past.length === 0);

/** The leases with granted calls. `unsettled`: spent calls of all leases that the database has not confirmed. */
export function heldCalls({ quotas }: Ledger) {
  const held = { leases: 0, granted: 0, unspent: 0, unsettled: 0 };
  for (const lease of [...quotas.values()].flatMap(leasesIn)) {
    held.unsettled += Math.max(0, lease.spent - lease.settled);
    if (lease.granted === 0) continue;
    held.leases += 1;
    held.granted += lease.granted;
    held.unspent += unspent(lease);
  }
  return held;
}
