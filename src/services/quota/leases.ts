import { type Instant, instantOf, SECOND } from '#domain/clock';
import { giveBackCall, isUsable, keepCall, type Lease, remaining, unspent } from '#domain/quota/lease';
import { Problem } from '#problems';
import { DEADLINE, withinDeadline } from '#services/deadline';
import type { LedgerStore } from '#stores/quota/ledger';
import {
  createQuotaStates,
  endLease,
  type Held,
  isIdle,
  type QuotaState,
  type Spender,
} from './quota-state.ts';
import { createScheduler, type SchedulerOptions } from './scheduler.ts';
import { createSettling } from './settlement.ts';

export type { Spender } from './quota-state.ts';

/** A call that was paid for. `remaining` is what this process knows to be left after it. */
export type Receipt = { lease: Lease; remaining: number };

/** What a process holds, what became of the calls it took since it started, and how often it settles everything. */
export type LeasesReading = Held & {
  settled: number;
  refunded: number;
  /** How far apart ticks are, in ms. */
  tick: number;
};

/** A newly opened page makes about this many calls at once. */
const FIRST_GRANT = 50;

export type LeaseOptions = SchedulerOptions & {
  ledger: LedgerStore;
  /** How many calls a first grant holds at least, where there is plenty. */
  firstGrant?: number | undefined;
  /** Told how long a call waited for the ledger, in ms. */
  observeWait?: ((ms: number) => void) | undefined;
};

/**
 * Spending without a database on the way: a call takes one from the lease in memory, and the ledger is settled behind
 * it, for all users together. The races are told in `stores/quota/settlement.ts` and in ARCHITECTURE.md.
 */
export function createLeases({ ledger, firstGrant = FIRST_GRANT, observeWait, ...options }: LeaseOptions) {
  const { clock, log } = options;
  const quotas = createQuotaStates(clock);
  const settling = createSettling({ quotas, ledger, clock, firstGrant });
  const scheduler = createScheduler({ ...settling, ...options });
  let refunded = 0;

  function take(quota: QuotaState, lease: Lease, { elapsed }: Instant): Receipt {
    lease.spent += 1;
    lease.inFlight += 1;
    quota.callsThisTick += 1;
    quota.lastCallAt = elapsed;
    return { lease, remaining: remaining(lease) };
  }

  function spendAtOnce(spender: Spender, at: Instant): Receipt | undefined {
    const quota = quotas.of(spender.key);
    const { lease } = quota;
    return lease && unspent(lease) > 0 && isUsable(lease, at) ? take(quota, lease, at) : undefined;
  }

  /** The next statement with this user's leases. */
  const ask = (quota: QuotaState): Promise<void> =>
    settling.ask(quota) ? scheduler.soonGranted() : scheduler.soon();

  /**
   * Resolves after the next statement with this user's leases; all waiting calls of the user share it. A call waits so
   * many ms at most; the statement goes on without it, and what it grants stays with the user.
   */
  async function settled(quota: QuotaState, atMost: number): Promise<void> {
    quota.lastCallAt = clock.elapsed();
    quota.waiting += 1;
    quota.asked ??= ask(quota).finally(() => {
      quota.asked = undefined;
    });
    await withinDeadline(quota.asked, undefined, atMost).finally(() => {
      quota.waiting -= 1;
    });
  }

  async function acquire(quota: QuotaState, spender: Spender, waited: number): Promise<Receipt> {
    const since = clock.elapsed();
    const until = since + DEADLINE - waited;
    let hasWaited = false;
    try {
      for (;;) {
        const lease = quotas.currentLease(quota, spender);
        const at = instantOf(clock);
        if (unspent(lease) > 0 && isUsable(lease, at)) return take(quota, lease, at);
        if (quota.exhausted && at.elapsed < quota.exhausted.until)
          throw exhausted(quota.exhausted.comesBackIn, lease);
        settling.refuseFailed();
        hasWaited = true;
        await settled(quota, until - clock.elapsed());
      }
    } finally {
      if (hasWaited) observeWait?.(clock.elapsed() - since);
    }
  }

  function exhausted(comesBackIn: number | undefined, { period, limit }: Lease): Problem {
    const retryAfter = comesBackIn ?? (period.end - clock.now()) / SECOND;
    const ends = new Date(period.end).toISOString();
    return new Problem('quota_exceeded', `All ${limit} calls of the period that ends at ${ends} are spent.`, {
      retryAfter,
    });
  }

  return {
    /**
     * Pays for one call: at once from a lease in memory, or after the ledger granted one. Throws `quota_exceeded`.
     * @param waited for how long the call has waited for the database already, in ms
     */
    spend(spender: Spender, waited = 0): Receipt | Promise<Receipt> {
      return spendAtOnce(spender, instantOf(clock)) ?? acquire(quotas.of(spender.key), spender, waited);
    },

    /** Pays for one call that is made now from a lease in memory, if it can be done at once. */
    spendAtOnce,

    /** The call stays paid for. */
    keep: ({ lease }: Receipt): void => keepCall(lease),

    /** Gives a call back to the lease, and so to the period and date, in which it was spent. */
    refund({ lease }: Receipt): void {
      refunded += 1;
      giveBackCall(lease);
    },

    /** The leases of a user whose calls may not all be settled. */
    of: quotas.leasesOf,

    reading: (): LeasesReading => ({
      ...quotas.held(),
      settled: settling.settled(),
      refunded,
      tick: scheduler.interval(),
    }),

    /**
     * Of these users, as they are now, idle leases give back what they hold, since another process may need it, and
     * leases under another limit are settled.
     */
    review(users: Iterable<Pick<Spender, 'key' | 'limit'>>): void {
      for (const { key, limit } of users) {
        const quota = quotas.find(key);
        if (!quota?.lease) continue;
        const isUnused = isIdle(quota, clock.elapsed());
        if (!isUnused && quota.lease.limit === limit) continue;
        if (isUnused) endLease(quota);
        // What fails here is tried again with the next tick, which says so.
        ask(quota).catch(() => undefined);
      }
    },

    /** Settles everything now. */
    settle: (): Promise<void> => scheduler.tick(),

    /** Settles everything and gives back what is unspent, however often it takes within the time there is (ms). */
    async close(withinMs: number): Promise<void> {
      scheduler.close();
      const deadline = clock.elapsed() + withinMs;
      while (!quotas.areSettled() && clock.elapsed() < deadline) {
        // A call that waits has its grant first.
        for (const quota of quotas.all()) if (quota.waiting === 0) endLease(quota);
        await Promise.all([scheduler.soonGranted(), scheduler.tick()]).catch((err) =>
          log.warn({ err }, 'the ledger could not be settled before the stop'),
        );
      }
    },

    /** Stops without a word to the ledger, as a crash would. */
    abandon(): void {
      scheduler.close();
      quotas.clear();
    },
  };
}
