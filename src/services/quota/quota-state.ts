import { randomBytes } from 'node:crypto';
import { type Clock, type Instant, MINUTE, SECOND } from '#domain/clock';
import { isOver, isPast, type Lease, newLease, unspent } from '#domain/quota/lease';
import type { Term } from '#domain/quota/plan';

/** A key that was not used for so long gives back what it holds, but for what may rest; in ms. */
export const IDLE = 5 * SECOND;
/** And that after so long; an account without a lease is forgotten; in ms. */
const RESTS = 10 * MINUTE;
const FORGOTTEN = MINUTE;

/** Who spends: whose, how many, and in which periods. */
export type Spender = Term & { key: number; limit: number };

/** What this process holds for a user, and knows of how it is spent. */
export type QuotaState = {
  lease: Lease | undefined;
  /** Leases no longer spent from, until their last call is settled. */
  ended: Lease[];
  /** Calls a second of late, and calls since the last tick. */
  rate: number;
  calls: number;
  usedAt: number;
  reportedAt: number;
  /** Calls that wait for the ledger to grant something. */
  waiting: number;
  /** The settlement that they wait for. */
  asked: Promise<void> | undefined;
  /** Set when the ledger had nothing to grant: when to ask again, and when something may come back (seconds). */
  exhausted: { until: number; comesBackIn: number | undefined } | undefined;
};

/** What the accounts of this process hold together: leases that are open, and calls. */
export type Held = {
  leases: number;
  granted: number;
  unspent: number;
  /** Spent, and not known to be in the ledger. */
  unsettled: number;
};

/** Whether the key was not used for a while, and nobody waits with it. */
export const isIdle = ({ usedAt, waiting }: QuotaState, elapsed: number): boolean =>
  waiting === 0 && elapsed - usedAt >= IDLE;

/** As long as a UUID and as random, and one flat string: Node puts UUIDs together of twenty pieces that it keeps. */
const newId = () => randomBytes(16).toString('hex');

/** Nothing more is spent from the account's lease; what it holds goes back with the next settlement. */
export function end(quota: QuotaState): void {
  const { lease } = quota;
  if (!lease) return;
  lease.closing = true;
  quota.lease = undefined;
  // That there was nothing to grant was said of this lease's period, and of a limit that may have changed.
  quota.exhausted = undefined;
  if (lease.seq > 0) quota.ended.push(lease);
}

/** Nothing more will be said of it, by either side. */
const isDone = ({ closed, spent, settled, inFlight }: Lease) => closed && spent === settled && inFlight === 0;

/** The accounts of this process, in memory alone. */
export function createQuotaStates(clock: Clock) {
  const quotas = new Map<number, QuotaState>();
  let measuredAt = clock.elapsed();

  return {
    /** The account of a user who spends: the one there is, or a new one. */
    of(key: number): QuotaState {
      const known = quotas.get(key);
      if (known) return known;
      const fresh: QuotaState = {
        lease: undefined,
        ended: [],
        rate: 0,
        calls: 0,
        usedAt: clock.elapsed(),
        reportedAt: Number.NEGATIVE_INFINITY,
        waiting: 0,
        asked: undefined,
        exhausted: undefined,
      };
      quotas.set(key, fresh);
      return fresh;
    },

    /** The account of a user, where there is one. */
    find: (key: number): QuotaState | undefined => quotas.get(key),

    /** The leases of a user whose calls may not all be settled. */
    leasesOf(key: number): Lease[] {
      const quota = quotas.get(key);
      return quota ? [...quota.ended, ...(quota.lease ? [quota.lease] : [])] : [];
    },

    /** The lease of the period and date that now are: the one there is, or a new one that nothing was granted to. */
    currentLease(quota: QuotaState, spender: Spender): Lease {
      const now = clock.now();
      if (quota.lease && (quota.lease.closing || isPast(quota.lease, spender, now))) end(quota);
      quota.lease ??= newLease(newId(), spender.key, spender, spender.limit, now);
      return quota.lease;
    },

    all: (): Iterable<QuotaState> => quotas.values(),

    /**
     * Once a tick: measures how fast each key spends, ends the leases that are over and of keys that are idle, where
     * nothing may rest any more, and forgets what is settled and the accounts that nobody uses. Gives how many keys are
     * in use.
     */
    review({ wall, elapsed }: Instant): number {
      const seconds = Math.max(SECOND, elapsed - measuredAt) / SECOND;
      measuredAt = elapsed;
      let inUse = 0;
      for (const [key, quota] of quotas) {
        const recent = quota.calls / seconds;
        quota.rate = Math.max(recent, (quota.rate + recent) / 2);
        quota.calls = 0;
        const { lease, usedAt } = quota;
        const idle = elapsed - usedAt;
        if (idle < IDLE) inUse += 1;
        if (lease && (isOver(lease, wall) || idle >= (unspent(lease) > 0 ? RESTS : IDLE))) end(quota);
        if (quota.ended.some(isDone)) quota.ended = quota.ended.filter((ended) => !isDone(ended));
        if (!quota.lease && quota.ended.length === 0 && idle >= FORGOTTEN) quotas.delete(key);
      }
      return inUse;
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
