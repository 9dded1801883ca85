import { randomBytes } from 'node:crypto';
import type { Term } from '#accounts/ledger/plan';
import { type Clock, type Instant, MINUTE, SECOND } from '#core/clock';
import { IDLE_AFTER, isOver, isPast, type Lease, newLease, RESTING_FOR, unspent } from './lease.ts';

/** After so long the state of a user without a lease is deleted. In ms. */
const FORGOTTEN = MINUTE;

/** Who spends: whose, how many, and in which periods. */
export type Spender = Term & { key: number; limit: number };

/** What this process holds for a user, and knows of how it is spent. */
export type QuotaState = {
  lease: Lease | undefined;
  /** Leases no longer spent from, until their last call is settled. */
  ended: Lease[];
  /** Calls a second as of the last tick, and calls since then. */
  rate: number;
  callsThisTick: number;
  lastCallAt: number;
  reportedAt: number;
  /** What each of the calls costs that wait for a grant. */
  waiting: number[];
  /** Another process may need what is held: what may not rest goes back with the next settlement. */
  recalled: boolean;
  /** The settlement that they wait for. */
  asked: Promise<void> | undefined;
  /**
   * Set when the ledger had not enough to grant for a call of this cost: when to ask again, and in how many seconds
   * something may come back.
   */
  exhausted: { cost: number; until: number; comesBackIn: number | undefined } | undefined;
};

/** What this process holds for all users together: open leases, and calls. */
export type Held = {
  leases: number;
  granted: number;
  unspent: number;
  /** Spent, and not known to be in the ledger. */
  unsettled: number;
};

/** Whether the user has not called for a while, and no call waits. */
export const isIdle = ({ lastCallAt, waiting }: QuotaState, elapsed: number): boolean =>
  waiting.length === 0 && elapsed - lastCallAt >= IDLE_AFTER;

/** 128 random bits as one flat string: `randomUUID` gives a rope of twenty strings, all of which stay in memory. */
const newId = () => randomBytes(16).toString('hex');

/** Nothing more is spent from the lease; what it holds goes back with the next settlement. */
export function endLease(quota: QuotaState): void {
  const { lease } = quota;
  if (!lease) return;
  lease.closing = true;
  quota.lease = undefined;
  // It was exhausted in this lease's period, under a limit that may have changed.
  quota.exhausted = undefined;
  if (lease.seq > 0) quota.ended.push(lease);
}

/** Whether it is closed and settled, and no call of it can be given back any more. */
const isDone = ({ closed, spent, settled, inFlight }: Lease) => closed && spent === settled && inFlight === 0;

/** The quota state of every user of this process, in memory alone. */
export function createQuotaStates(clock: Clock) {
  const quotas = new Map<number, QuotaState>();
  let measuredAt = clock.elapsed();

  return {
    /** The state of a user who spends: the known one, or a new one. */
    of(key: number): QuotaState {
      const known = quotas.get(key);
      if (known) return known;
      const fresh: QuotaState = {
        lease: undefined,
        ended: [],
        rate: 0,
        callsThisTick: 0,
        lastCallAt: clock.elapsed(),
        reportedAt: Number.NEGATIVE_INFINITY,
        waiting: [],
        recalled: false,
        asked: undefined,
        exhausted: undefined,
      };
      quotas.set(key, fresh);
      return fresh;
    },

    /** The state of a user, if there is one. */
    find: (key: number): QuotaState | undefined => quotas.get(key),

    /** The leases of a user whose calls may not all be settled. */
    leasesOf(key: number): Lease[] {
      const quota = quotas.get(key);
      return quota ? [...quota.ended, ...(quota.lease ? [quota.lease] : [])] : [];
    },

    /** The lease of the current period and date: the open one, or a new one without a grant. */
    currentLease(quota: QuotaState, spender: Spender): Lease {
      const now = clock.now();
      if (quota.lease && (quota.lease.closing || isPast(quota.lease, spender, now))) endLease(quota);
      quota.lease ??= newLease(newId(), spender.key, spender, spender.limit, now);
      return quota.lease;
    },

    all: (): Iterable<QuotaState> => quotas.values(),

    /**
     * Once a tick: measures how fast each user spends; ends leases whose period or date is over, and those of idle users
     * that hold nothing or have rested for long; deletes what is settled and the states that nobody uses. Gives how many
     * users are active.
     */
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

    /** Whether nothing is held any more, and all that was is settled. */
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

/** After a failure of the database nothing is reclaimed for so long, in ms: whoever was cut off settles first. */
const AFTER_FAILURE = 10 * SECOND;
/** As long after the start of this process, which may be that of the database too: 35 s after a crash all is back. */
const AFTER_START = 5 * SECOND;

/**
 * Whether this process may reclaim leases that have lapsed. One lapses while its holder cannot reach the database, which
 * every process notices by its polls; each goes by what it noticed itself, since a cluster has no one time of its start.
 */
export function createOutages({ clock, afterStart = AFTER_START }: { clock: Clock; afterStart?: number }) {
  let reclaimsFrom = clock.elapsed() + afterStart;
  return {
    /** A statement of this process has just failed. */
    failed(): void {
      reclaimsFrom = clock.elapsed() + AFTER_FAILURE;
    },
    mayReclaim: (): boolean => clock.elapsed() >= reclaimsFrom,
  };
}

export type Outages = ReturnType<typeof createOutages>;
