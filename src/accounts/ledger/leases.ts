import { setTimeout as wait } from 'node:timers/promises';
import {
  type Call,
  giveBackCall,
  isUsable,
  type Lease,
  quotaExceeded,
  RECALL_SECONDS,
  remaining,
  unspent,
} from '#accounts/ledger/lease';
import { type Detail, detailOf, MOST_DETAILS } from '#accounts/usage/call-details';
import type { KeyCounter } from '#accounts/usage/key-limits';
import { type Instant, instantOf, SECOND } from '#core/clock';
import { DEADLINE, withinDeadline } from '#database/deadline';
import type { LedgerStore } from './ledger-store.ts';
import {
  createQuotaStates,
  createReclaimGuard,
  endLease,
  type Held,
  isIdle,
  type QuotaState,
  type Spender,
} from './quota-state.ts';
import { createScheduler, type SchedulerOptions } from './scheduler.ts';
import { createSettling, EXHAUSTED_FOR } from './settlement.ts';

export type { Spender } from './quota-state.ts';

/**
 * A charged call, and the lower bound of remaining calls after the charge. `detail` counts it, unless its key and path are
 * those of the lease's first call. `counter` counts it if its key has a daily limit.
 */
export type Receipt = {
  lease: Lease;
  cost: number;
  remaining: number;
  isRefunded: boolean;
  detail: Detail | undefined;
  counter: KeyCounter | undefined;
};

export type LeasesReading = Held & {
  settled: number;
  refunded: number;
  tick: number;
  /** Since the ledger last responded, in ms; Infinity before its first response. */
  sinceConfirmed: number;
};

/** A newly opened page sends about this many calls at once. */
const FIRST_GRANT = 50;
/** How many times a call retries while other processes return calls. */
const RECALLS = (RECALL_SECONDS * SECOND) / EXHAUSTED_FOR;

export type LeaseOptions = SchedulerOptions & {
  ledger: LedgerStore;
  firstGrant?: number | undefined;
  /** How long a call pauses before it retries while other processes return calls, in ms. */
  recallMs?: number | undefined;
  /** How long after its start this process reclaims no leases of other processes, in ms. */
  reclaimAfterMs?: number | undefined;
  /** Called with the time that a call waited for the ledger, in ms. */
  observeWait?: ((ms: number) => void) | undefined;
};

/** Charges calls from leases in memory, and settles them later. The README describes the races. */
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
  const outages = createReclaimGuard({
    clock,
    ...(reclaimAfterMs !== undefined && { afterStart: reclaimAfterMs }),
  });
  const settling = createSettling({ quotas, ledger, clock, outages, firstGrant });
  const scheduler = createScheduler({ ...settling, ...options });
  let refunded = 0;

  function take(quota: QuotaState, lease: Lease, { elapsed }: Instant, { keyId, path, cost }: Call): Receipt {
    const detail = detailOf(lease, keyId, path);
    if (detail) detail.calls += cost;
    lease.spent += cost;
    lease.inFlight += cost;
    quota.callsThisTick += cost;
    quota.lastCallAt = elapsed;
    if (lease.others.length > MOST_DETAILS && quota.lease === lease) endLease(quota);
    return { lease, cost, remaining: remaining(lease), isRefunded: false, detail, counter: undefined };
  }

  function spendAtOnce(spender: Spender, call: Call, at: Instant): Receipt | undefined {
    const quota = quotas.of(spender.key);
    const { lease } = quota;
    return lease && unspent(lease) >= call.cost && isUsable(lease, at) ? take(quota, lease, at, call) : undefined;
  }

  const ask = (quota: QuotaState): Promise<void> => (settling.ask(quota) ? scheduler.soonGranted() : scheduler.soon());

  /** Waits up to `atMost` ms for the next statement. Another call of the user may spend the calls that it grants. */
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

  async function acquire(quota: QuotaState, spender: Spender, call: Call, waited: number): Promise<Receipt> {
    const { cost } = call;
    const since = clock.elapsed();
    const until = since + DEADLINE - waited;
    let hasWaited = false;
    let recalls = 0;
    try {
      for (;;) {
        const lease = quotas.currentLease(quota, spender, call);
        const at = instantOf(clock);
        if (unspent(lease) >= cost && isUsable(lease, at)) return take(quota, lease, at, call);
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

  /** Returns calls that are too few for this call, because they may suffice for a cheaper call in any process. */
  function giveBack(quota: QuotaState): void {
    const { exhausted } = quota;
    if (!quota.lease || unspent(quota.lease) <= 0) return;
    endLease(quota);
    quota.exhausted = exhausted;
    settleSoon(quota);
  }

  /** Ignores a failure, because the next tick repeats the settlement and reports the failure. */
  function settleSoon(quota: QuotaState): void {
    ask(quota).catch(() => undefined);
  }

  return {
    /** Charges the whole cost, or throws `quota_exceeded`. `waited` is the time spent waiting for the ledger, in ms. */
    spend(spender: Spender, call: Call, waited = 0): Receipt | Promise<Receipt> {
      return spendAtOnce(spender, call, instantOf(clock)) ?? acquire(quotas.of(spender.key), spender, call, waited);
    },

    spendAtOnce,
    keep({ lease, cost }: Receipt): void {
      lease.inFlight -= cost;
    },

    /** A refund counts for the period, date, key and path for which the call was spent. */
    refund(receipt: Receipt): void {
      const { lease, cost, detail, counter } = receipt;
      receipt.isRefunded = true;
      refunded += cost;
      if (detail) detail.calls -= cost;
      if (counter) counter.used -= cost;
      giveBackCall(lease, cost);
    },

    /** Called when another statement of this process failed. */
    databaseFailed: settling.databaseFailed,
    of: quotas.leasesOf,
    /** The calls allowed in the current period, credits included, as far as this process knows. */
    limitOf: ({ key, limit }: Pick<Spender, 'key' | 'limit'>): number => quotas.find(key)?.lease?.limit ?? limit,

    reading: (): LeasesReading => ({
      ...quotas.held(),
      settled: settling.settled(),
      refunded,
      tick: scheduler.interval(),
      sinceConfirmed: settling.sinceConfirmed(),
    }),

    /** Returns leased calls: another process may need them, or the limit may have changed. */
    review(users: Iterable<Pick<Spender, 'key' | 'limit'>>): void {
      for (const { key } of users) {
        const quota = quotas.find(key);
        if (!quota?.lease) continue;
        if (isIdle(quota, clock.elapsed()) || quota.lease.resting > 0) endLease(quota);
        else quota.recalled = true;
        settleSoon(quota);
      }
    },

    settle: (): Promise<void> => scheduler.tick(),

    /** Settles all leases and returns unspent calls, in as many rounds as fit into `withinMs`. */
    async close(withinMs: number): Promise<void> {
      scheduler.close();
      const deadline = clock.elapsed() + withinMs;
      const report = (error: unknown) => failures.failed('settlement', error, { isStopping: true });
      while (!quotas.areSettled() && clock.elapsed() < deadline) {
        // Waiting calls receive their grants before their leases end.
        for (const quota of quotas.all()) if (quota.waiting.length === 0) endLease(quota);
        // Waits for both: if one fails immediately, the next round must not start while the other is running.
        await Promise.all([scheduler.soonGranted().catch(report), scheduler.tick().catch(report)]);
      }
    },

    /** Stops without reporting to the ledger, as a crash would. */
    abandon(): void {
      scheduler.close();
      quotas.clear();
    },
  };
}
