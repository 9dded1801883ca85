import { setTimeout as wait } from 'node:timers/promises';
import { quotaExceeded } from '#accounts/ledger/lease';
import { type Instant, instantOf, SECOND } from '#core/clock';
import { DEADLINE, withinDeadline } from '#database/deadline';
import { giveBackCall, isUsable, keepCall, type Lease, RECALL_SECONDS, remaining, unspent } from './lease.ts';
import type { LedgerStore } from './ledger-store.ts';
import {
  createOutages,
  createQuotaStates,
  endLease,
  type Held,
  isIdle,
  type QuotaState,
  type Spender,
} from './quota-state.ts';
import { createScheduler, type SchedulerOptions } from './scheduler.ts';
import { createSettling, EXHAUSTED_FOR } from './settlement.ts';

export type { Spender } from './quota-state.ts';

/** A call that was paid for: what it cost, and what this process knows to be left after it. */
export type Receipt = { lease: Lease; cost: number; remaining: number };

/** What a process holds, what became of the calls it took since it started, and how often it settles everything. */
export type LeasesReading = Held & {
  settled: number;
  refunded: number;
  /** How far apart ticks are, in ms. */
  tick: number;
};

/** A newly opened page makes about this many calls at once. */
const FIRST_GRANT = 50;
/** How often a call asks again while other processes give back what they hold. */
const RECALLS = (RECALL_SECONDS * SECOND) / EXHAUSTED_FOR;

export type LeaseOptions = SchedulerOptions & {
  ledger: LedgerStore;
  /** How many calls a first grant holds at least, where there is plenty. */
  firstGrant?: number | undefined;
  /** How long a call waits before it asks again while other processes give back what they hold, in ms. */
  recallMs?: number | undefined;
  /** How long after the start nothing is reclaimed from other processes, in ms. */
  reclaimAfterMs?: number | undefined;
  /** Told how long a call waited for the ledger, in ms. */
  observeWait?: ((ms: number) => void) | undefined;
};

/**
 * Spending without a database on the way: a call takes one from the lease in memory, and the ledger is settled behind
 * it, for all users together. The README of this folder describes the races.
 */
export function createLeases(dependencies: LeaseOptions) {
  const {
    ledger,
    firstGrant = FIRST_GRANT,
    recallMs = EXHAUSTED_FOR,
    reclaimAfterMs,
    observeWait,
    ...options
  } = dependencies;
  const { clock, failures } = options;
  const quotas = createQuotaStates(clock);
  const outages = createOutages({
    clock,
    ...(reclaimAfterMs !== undefined && { afterStart: reclaimAfterMs }),
  });
  const settling = createSettling({ quotas, ledger, clock, outages, firstGrant });
  const scheduler = createScheduler({ ...settling, ...options });
  let refunded = 0;

  function take(quota: QuotaState, lease: Lease, { elapsed }: Instant, cost: number): Receipt {
    lease.spent += cost;
    lease.inFlight += cost;
    quota.callsThisTick += cost;
    quota.lastCallAt = elapsed;
    return { lease, cost, remaining: remaining(lease) };
  }

  function spendAtOnce(spender: Spender, at: Instant, cost = 1): Receipt | undefined {
    const quota = quotas.of(spender.key);
    const { lease } = quota;
    return lease && unspent(lease) >= cost && isUsable(lease, at) ? take(quota, lease, at, cost) : undefined;
  }

  /** The next statement with this user's leases. */
  const ask = (quota: QuotaState): Promise<void> => (settling.ask(quota) ? scheduler.soonGranted() : scheduler.soon());

  /**
   * Resolves after the next statement with this user's leases; all waiting calls of the user share it. A call waits so
   * many ms at most; the statement goes on without it, and what it grants stays with the user.
   */
  async function settled(quota: QuotaState, cost: number, atMost: number): Promise<void> {
    quota.lastCallAt = clock.elapsed();
    quota.waiting.push(cost);
    quota.asked ??= ask(quota).finally(() => {
      quota.asked = undefined;
    });
    await withinDeadline(quota.asked, undefined, atMost).finally(() => {
      quota.waiting.splice(quota.waiting.indexOf(cost), 1);
    });
  }

  async function acquire(quota: QuotaState, spender: Spender, cost: number, waited: number): Promise<Receipt> {
    const since = clock.elapsed();
    const until = since + DEADLINE - waited;
    let hasWaited = false;
    let recalls = 0;
    try {
      for (;;) {
        const lease = quotas.currentLease(quota, spender);
        const at = instantOf(clock);
        if (unspent(lease) >= cost && isUsable(lease, at)) return take(quota, lease, at, cost);
        const { exhausted } = quota;
        if (exhausted && cost >= exhausted.cost && at.elapsed < exhausted.until) {
          const isRecalled = exhausted.comesBackIn !== undefined && exhausted.comesBackIn <= RECALL_SECONDS;
          if (cost === 1 || !isRecalled || recalls === RECALLS) {
            if (cost > 1) giveBack(quota);
            throw quotaExceeded(cost, exhausted.comesBackIn, lease, at.wall);
          }
          recalls += 1;
          await wait(recallMs);
        }
        settling.refuseFailed();
        hasWaited = true;
        await settled(quota, cost, until - clock.elapsed());
      }
    } finally {
      if (hasWaited) observeWait?.(clock.elapsed() - since);
    }
  }

  /** What is held goes back at once where it was not enough for a call: one that costs less may have it, anywhere. */
  function giveBack(quota: QuotaState): void {
    const { exhausted } = quota;
    if (!quota.lease || unspent(quota.lease) <= 0) return;
    endLease(quota);
    quota.exhausted = exhausted;
    settleSoon(quota);
  }

  /** What fails here is tried again with the next tick, which says so. */
  function settleSoon(quota: QuotaState): void {
    ask(quota).catch(() => undefined);
  }

  return {
    /**
     * Pays for a call all that it costs: at once from a lease in memory, or after the ledger granted it. Throws
     * `quota_exceeded`; then nothing is spent.
     * @param waited for how long the call has waited for the database already, in ms
     */
    spend(spender: Spender, waited = 0, cost = 1): Receipt | Promise<Receipt> {
      return spendAtOnce(spender, instantOf(clock), cost) ?? acquire(quotas.of(spender.key), spender, cost, waited);
    },

    /** Pays for a call that is made now from a lease in memory, if it can be done at once. */
    spendAtOnce,

    /** The call stays paid for. */
    keep: ({ lease, cost }: Receipt): void => keepCall(lease, cost),

    /** Gives a call back to the lease, and so to the period and date, in which it was spent. */
    refund({ lease, cost }: Receipt): void {
      refunded += cost;
      giveBackCall(lease, cost);
    },

    /** Another statement of this process failed: other processes may have been cut off too. */
    databaseFailed: outages.failed,

    /** The leases of a user whose calls may not all be settled. */
    of: quotas.leasesOf,

    reading: (): LeasesReading => ({
      ...quotas.held(),
      settled: settling.settled(),
      refunded,
      tick: scheduler.interval(),
    }),

    /**
     * Of these users, who were changed, what is held goes back, since another process may need it or their limit be
     * another one: all that rested, and of the others what may not rest. Near the end of an allowance nothing may.
     */
    review(users: Iterable<Pick<Spender, 'key' | 'limit'>>): void {
      for (const { key } of users) {
        const quota = quotas.find(key);
        if (!quota?.lease) continue;
        if (isIdle(quota, clock.elapsed()) || quota.lease.resting > 0) endLease(quota);
        else quota.recalled = true;
        settleSoon(quota);
      }
    },

    /** Settles everything now. */
    settle: (): Promise<void> => scheduler.tick(),

    /** Settles everything and gives back what is unspent, however often it takes within the time there is (ms). */
    async close(withinMs: number): Promise<void> {
      scheduler.close();
      const deadline = clock.elapsed() + withinMs;
      const report = (error: unknown) => failures.failed('settlement', error, { isStopping: true });
      while (!quotas.areSettled() && clock.elapsed() < deadline) {
        // A call that waits has its grant first.
        for (const quota of quotas.all()) if (quota.waiting.length === 0) endLease(quota);
        // Both are over before the next round: one that fails at once would begin it beside the other.
        await Promise.all([scheduler.soonGranted().catch(report), scheduler.tick().catch(report)]);
      }
    },

    /** Stops without a word to the ledger, as a crash would. */
    abandon(): void {
      scheduler.close();
      quotas.clear();
    },
  };
}
