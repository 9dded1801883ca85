import { type Instant, instantOf, MINUTE, SECOND } from '#core/clock';
import { MAX_DETAILS } from '#ledger/usage/call-details';
import { type Call, hasSameRow, isPast, isUsable, type Lease, newLease, reserveOf, unspent } from './lease.ts';
import type { Ledger, Quota, Spender } from './ledger-state.ts';

/** A user without a call for this time is idle, in ms. An idle user's lease returns all but a few of its calls. */
const IDLE_AFTER = 5 * SECOND;
/** The state of a user without a lease is deleted after this time, in ms. */
const FORGOTTEN = MINUTE;
/** How long an idle user's lease stays open with the calls that it kept, in ms. */
const KEPT_FOR = 10 * MINUTE;

export const isIdle = ({ lastCallAt, waiting }: Quota, elapsed: number): boolean =>
  waiting.length === 0 && elapsed - lastCallAt >= IDLE_AFTER;

export const leasesIn = ({ lease, past }: Quota): Lease[] => (lease ? [...past, lease] : past);

export function leasesOf({ quotas }: Ledger, userKey: number): Lease[] {
  const quota = quotas.get(userKey);
  return quota ? leasesIn(quota) : [];
}

export function quotaOf({ quotas, clock, store }: Ledger, userKey: number): Quota {
  let quota = quotas.get(userKey);
  if (quota) return quota;
  quota = {
    userKey,
    shard: store.isDistributed ? undefined : 0,
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
