import type { Term } from '#accounts/ledger/plan';
import { type Clock, type Instant, MINUTE, SECOND } from '#core/clock';
import { type Call, IDLE_AFTER, isOver, isPast, type Lease, newId, newLease, RESTING_FOR, unspent } from './lease.ts';

/** The state of a user without a lease is deleted after this time, in ms. */
const FORGOTTEN = MINUTE;

export type Spender = Term & { key: number; limit: number };

export type QuotaState = {
  lease: Lease | undefined;
  ended: Lease[];
  /** The rate in calls per second as of the last tick, and the number of calls since that tick. */
  rate: number;
  callsThisTick: number;
  lastCallAt: number;
  waiting: number[];
  /** Another process may need these calls. The next settlement returns all that the lease may not keep. */
  recalled: boolean;
  asked: Promise<void> | undefined;
  /** The cost that the ledger could not grant, when to retry, and the seconds until calls may be returned. */
  exhausted: { cost: number; until: number; comesBackIn: number | undefined } | undefined;
};

export type Held = {
  leases: number;
  granted: number;
  unspent: number;
  unsettled: number;
};

export const isIdle = ({ lastCallAt, waiting }: QuotaState, elapsed: number): boolean =>
  waiting.length === 0 && elapsed - lastCallAt >= IDLE_AFTER;

export function endLease(quota: QuotaState): void {
  const { lease } = quota;
  if (!lease) return;
  lease.closing = true;
  quota.lease = undefined;
  // The limit may have changed since this period's allowance was exhausted.
  quota.exhausted = undefined;
  if (lease.seq > 0) quota.ended.push(lease);
}

const isDone = ({ closed, spent, settled, inFlight }: Lease) => closed && spent === settled && inFlight === 0;

export function createQuotaStates(clock: Clock) {
  const quotas = new Map<number, QuotaState>();
  let measuredAt = clock.elapsed();

  return {
    of(key: number): QuotaState {
      const known = quotas.get(key);
      if (known) return known;
      const fresh: QuotaState = {
        lease: undefined,
        ended: [],
        rate: 0,
        callsThisTick: 0,
        lastCallAt: clock.elapsed(),
        waiting: [],
        recalled: false,
        asked: undefined,
        exhausted: undefined,
      };
      quotas.set(key, fresh);
      return fresh;
    },

    find: (key: number): QuotaState | undefined => quotas.get(key),

    leasesOf(key: number): Lease[] {
      const quota = quotas.get(key);
      return quota ? [...quota.ended, ...(quota.lease ? [quota.lease] : [])] : [];
    },

    /** Returns the open lease of the current period and date, or creates one without calls. */
    currentLease(quota: QuotaState, spender: Spender, call: Call): Lease {
      const now = clock.now();
      if (quota.lease && (quota.lease.closing || isPast(quota.lease, spender, now))) endLease(quota);
      quota.lease ??= newLease(newId(now), spender.key, spender, call, now);
      return quota.lease;
    },

    all: (): Iterable<QuotaState> => quotas.values(),

    /** Each tick: measures rates, closes outdated leases, deletes idle states. Returns the number of active users. */
    review({ wall, elapsed }: Instant): number {
      const seconds = Math.max(SECOND, elapsed - measuredAt) / SECOND;
      measuredAt = elapsed;
      let activeUsers = 0;
      for (const [key, quota] of quotas) {
        const recent = quota.callsThisTick / seconds;
        quota.rate = Math.max(recent, (quota.rate + recent) / 2);
        quota.callsThisTick = 0;
        const { lease } = quota;
        const idle = elapsed - quota.lastCallAt;
        if (idle < IDLE_AFTER) activeUsers += 1;
        if (lease && (isOver(lease, wall) || idle >= (unspent(lease) > 0 ? RESTING_FOR : IDLE_AFTER))) endLease(quota);
        if (quota.ended.some(isDone)) quota.ended = quota.ended.filter((ended) => !isDone(ended));
        if (!quota.lease && quota.ended.length === 0 && idle >= FORGOTTEN) quotas.delete(key);
      }
      return activeUsers;
    },

    areSettled: (): boolean => [...quotas.values()].every(({ lease, ended }) => !lease && ended.length === 0),

    held(): Held {
      const held = { leases: 0, granted: 0, unspent: 0, unsettled: 0 };
      const count = (lease: Lease) => {
        held.unsettled += Math.max(0, lease.spent - lease.settled);
        if (lease.closed || lease.granted === 0) return;
        held.leases += 1;
        held.granted += lease.granted;
        held.unspent += unspent(lease);
      };
      for (const { lease, ended } of quotas.values()) {
        if (lease) count(lease);
        ended.forEach(count);
      }
      return held;
    },

    clear: (): void => quotas.clear(),
  };
}

export type QuotaStates = ReturnType<typeof createQuotaStates>;

/** How long nothing is reclaimed after a database failure, in ms. Disconnected processes need this time to settle. */
const AFTER_FAILURE = 10 * SECOND;
/** How long a new process reclaims nothing, because the database may have restarted too. */
const AFTER_START = 5 * SECOND;

/** A lease expires while its holder cannot reach the database. Each process detects an outage by its own statements. */
export function createReclaimGuard({ clock, afterStart = AFTER_START }: { clock: Clock; afterStart?: number }) {
  let reclaimsFrom = clock.elapsed() + afterStart;
  return {
    failed(): void {
      reclaimsFrom = clock.elapsed() + AFTER_FAILURE;
    },
    mayReclaim: (): boolean => clock.elapsed() >= reclaimsFrom,
  };
}

export type ReclaimGuard = ReturnType<typeof createReclaimGuard>;
