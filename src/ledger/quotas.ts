import { type Clock, type Instant, MINUTE, SECOND } from '#core/clock';
import { MAX_DETAILS } from '#ledger/usage/call-details';
import type { Term } from '#users/plan';
import {
  type Call,
  hasSameRow,
  IDLE_AFTER,
  isPast,
  isUsable,
  type Lease,
  newLease,
  reserveOf,
  unspent,
} from './lease.ts';

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

export type Held = { leases: number; granted: number; unspent: number; unsettled: number };

export const isIdle = ({ lastCallAt, waiting }: Quota, elapsed: number): boolean =>
  waiting.length === 0 && elapsed - lastCallAt >= IDLE_AFTER;

export const leasesIn = ({ lease, past }: Quota): Lease[] => (lease ? [...past, lease] : past);

/** No more calls are spent from the user's lease. */
export function endLease(quota: Quota): void {
  if (quota.lease && quota.lease.state !== 'new') quota.past.push(quota.lease);
  quota.lease = undefined;
  // It concerned the period of the lease, or the limit may have changed.
  quota.exhausted = undefined;
}

/** @param reservePart idle users' leases keep at most one in this many of the remaining calls */
export function createQuotas(clock: Clock, processId: () => string, reservePart: number) {
  const quotas = new Map<number, Quota>();
  let measuredAt = clock.elapsed();

  function hasToEnd(quota: Quota, lease: Lease, { wall, elapsed }: Instant): boolean {
    if (!isUsable(lease, wall) || lease.process !== processId()) return true;
    if (lease.inFlight > 0 || quota.waiting.length > 0) return false;
    const idle = elapsed - quota.lastCallAt;
    if (idle >= IDLE_AFTER && reserveOf(lease, reservePart) === 0) return true;
    return idle >= KEPT_FOR || lease.others.length > MAX_DETAILS;
  }

  return {
    of(key: number): Quota {
      let quota = quotas.get(key);
      if (quota) return quota;
      quota = {
        userKey: key,
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
      quotas.set(key, quota);
      return quota;
    },

    find: (key: number): Quota | undefined => quotas.get(key),

    leasesOf(key: number): Lease[] {
      const quota = quotas.get(key);
      return quota ? leasesIn(quota) : [];
    },

    /** Returns the lease of the current period and date, or creates one without calls. */
    currentLease(quota: Quota, spender: Spender, call: Call): Lease {
      const now = clock.now();
      const { lease } = quota;
      if (lease && lease.process === processId() && !isPast(lease, spender, now)) return lease;
      endLease(quota);
      const fresh = newLease(processId(), spender.key, spender, call, now);
      // The clock was set back, or the lease was about to be closed.
      const same = quota.past.find((one) => one.state !== 'closing' && hasSameRow(one, fresh));
      if (same) {
        quota.past.splice(quota.past.indexOf(same), 1);
        same.period = fresh.period;
        same.usableUntil = fresh.usableUntil;
      }
      quota.lease = same ?? fresh;
      return quota.lease;
    },

    all: (): Iterable<Quota> => quotas.values(),

    /** Each tick: measures rates, ends leases, deletes idle states. Returns the number of active users. */
    review(now: Instant): number {
      const seconds = Math.max(SECOND, now.elapsed - measuredAt) / SECOND;
      measuredAt = now.elapsed;
      let activeUsers = 0;
      for (const [key, quota] of quotas) {
        const recent = quota.callsThisTick / seconds;
        quota.rate = Math.max(recent, (quota.rate + recent) / 2);
        quota.callsThisTick = 0;
        const idle = now.elapsed - quota.lastCallAt;
        if (idle < IDLE_AFTER) activeUsers += 1;
        if (quota.lease && !quota.isBusy && hasToEnd(quota, quota.lease, now)) endLease(quota);
        if (!quota.lease && quota.past.length === 0 && !quota.asked && idle >= FORGOTTEN) quotas.delete(key);
      }
      return activeUsers;
    },

    areSettled: (): boolean => [...quotas.values()].every(({ lease, past }) => !lease && past.length === 0),

    held(): Held {
      const held = { leases: 0, granted: 0, unspent: 0, unsettled: 0 };
      for (const quota of quotas.values()) {
        for (const lease of leasesIn(quota)) {
          held.unsettled += Math.max(0, lease.spent - lease.settled);
          if (lease.granted === 0) continue;
          held.leases += 1;
          held.granted += lease.granted;
          held.unspent += unspent(lease);
        }
      }
      return held;
    },

    clear: (): void => quotas.clear(),
  };
}

export type Quotas = ReturnType<typeof createQuotas>;
