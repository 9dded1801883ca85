import { setTimeout as wait } from 'node:timers/promises';
import { type Instant, instantOf, SECOND } from '#core/clock';
import { DEADLINE, withinDeadline } from '#database/deadline';
import { type Detail, detailOf } from '#ledger/usage/call-details';
import type { KeyCounter } from '#ledger/usage/key-limits';
import { type Call, count, isUsable, type Lease, quotaExceeded, RECALL_SECONDS, remaining, unspent } from './lease.ts';
import { EXHAUSTED_FOR, type Ledger, type LedgerOptions, newLedger, type Quota, type Spender } from './ledger-state.ts';
import { databaseFailed, isValid, refuseFailed, renew } from './membership.ts';
import { currentLease, heldCalls, leasesOf, quotaOf } from './quotas.ts';
import { close, settle } from './settlement.ts';
import { ask, recall } from './user-queue.ts';

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

/** How many times a call retries while other processes return calls: for twice the time that they usually need. */
const RECALLS = (2 * RECALL_SECONDS * SECOND) / EXHAUSTED_FOR;

const mayTake = (ledger: Ledger, lease: Lease, cost: number, at: Instant): boolean =>
  unspent(lease) >= cost && isUsable(lease, at.wall) && lease.process === ledger.id && isValid(ledger, at);

function take(quota: Quota, lease: Lease, { elapsed }: Instant, { keyId, path, cost }: Call): Receipt {
  const detail = detailOf(lease, keyId, path);
  if (detail) detail.calls += cost;
  count(lease, cost);
  lease.inFlight += cost;
  quota.callsThisTick += cost;
  quota.lastCallAt = elapsed;
  return { lease, cost, remaining: remaining(lease), isRefunded: false, detail, counter: undefined };
}

/** Charges a call that `spendAtOnce` cannot charge. Another call of the user may spend the calls for which it waits. */
async function acquire(ledger: Ledger, spender: Spender, call: Call, waited: number): Promise<Receipt> {
  const { clock, recallMs, observeWait } = ledger;
  const { cost } = call;
  const quota = quotaOf(ledger, spender.key);
  const since = clock.elapsed();
  let hasWaited = false;
  try {
    for (let recalls = 0; ; ) {
      const lease = currentLease(ledger, quota, spender, call);
      const at = instantOf(clock);
      if (mayTake(ledger, lease, cost, at)) return take(quota, lease, at, call);
      const { exhausted } = quota;
      if (exhausted && cost >= exhausted.cost && at.elapsed < exhausted.until) {
        if (cost === 1 || exhausted.comesBackIn === undefined || recalls === RECALLS) {
          // The lease's calls are too few for this call, but may suffice for a cheaper call in any process.
          if (cost > 1 && unspent(lease) > 0) recall(ledger, quota);
          throw quotaExceeded(cost, exhausted.comesBackIn, lease, at.wall);
        }
        recalls += 1;
        await wait(recallMs);
      }
      refuseFailed(ledger);
      hasWaited = true;
      quota.lastCallAt = clock.elapsed();
      quota.waiting.push(cost);
      await withinDeadline(ask(ledger, quota), undefined, since + DEADLINE - waited - clock.elapsed()).finally(() => {
        quota.waiting.splice(quota.waiting.indexOf(cost), 1);
      });
    }
  } finally {
    if (hasWaited) observeWait?.(clock.elapsed() - since);
  }
}

/** Charges calls from leases in memory, and settles them later. The README describes the races. */
export function createLeases(options: LedgerOptions) {
  const ledger: Ledger = newLedger(options);
  const { clock } = ledger;
  let timer = tickAfter(ledger.interval);

  function tickAfter(pause: number): NodeJS.Timeout {
    return setTimeout(async () => {
      const startedAt = clock.elapsed();
      await settle(ledger).catch((error) => ledger.failures.failed('settlement', error));
      if (!ledger.isClosed) timer = tickAfter(Math.max(0, startedAt + ledger.interval - clock.elapsed()));
    }, pause);
  }

  function stop(): void {
    ledger.isClosed = true;
    clearTimeout(timer);
  }

  function spendAtOnce(spender: Spender, call: Call, at: Instant): Receipt | undefined {
    const quota = quotaOf(ledger, spender.key);
    const { lease } = quota;
    return lease && mayTake(ledger, lease, call.cost, at) ? take(quota, lease, at, call) : undefined;
  }

  return {
    /** Charges the whole cost, or throws `quota_exceeded`. `waited` is the time spent waiting for the ledger, in ms. */
    spend(spender: Spender, call: Call, waited = 0): Receipt | Promise<Receipt> {
      return spendAtOnce(spender, call, instantOf(clock)) ?? acquire(ledger, spender, call, waited);
    },

    spendAtOnce,
    keep({ lease, cost }: Receipt): void {
      lease.inFlight -= cost;
    },

    /** A refund counts for the period, date, key and path for which the call was spent. */
    refund(receipt: Receipt): void {
      const { lease, cost, detail, counter } = receipt;
      receipt.isRefunded = true;
      ledger.refundedCalls += cost;
      if (detail) detail.calls -= cost;
      if (counter) counter.used -= cost;
      count(lease, -cost);
      lease.inFlight -= cost;
    },

    /** Called when another statement of this process failed. */
    databaseFailed: () => databaseFailed(ledger),
    of: (userKey: number) => leasesOf(ledger, userKey),
    /** Whether calls can be spent from a lease. */
    isUsable: (lease: Lease): boolean => mayTake(ledger, lease, 0, instantOf(clock)),
    /** The calls allowed in the current period, credits included, as far as this process knows. */
    limitOf: ({ key, limit }: Pick<Spender, 'key' | 'limit'>): number => ledger.quotas.get(key)?.lease?.limit ?? limit,

    /** `tick` is in ms. `sinceConfirmed`: since the database last responded, in ms; Infinity before its first response. */
    reading: () => ({
      ...heldCalls(ledger),
      settled: ledger.settledCalls,
      refunded: ledger.refundedCalls,
      tick: ledger.interval,
      sinceConfirmed: clock.elapsed() - ledger.confirmedAt,
    }),

    /** Returns leased calls: another process may need them, or the limit may have changed. */
    review(users: Iterable<Pick<Spender, 'key' | 'limit'>>): void {
      for (const { key } of users) {
        const quota = ledger.quotas.get(key);
        if (quota?.lease) recall(ledger, quota);
      }
    },

    settle: () => settle(ledger),
    processId: (): string => ledger.id,
    /** Stores the URL at which other processes reach this process. If that fails, the next tick repeats it. */
    async announce(address: string): Promise<void> {
      ledger.address = address;
      ledger.renewedAt = Number.NEGATIVE_INFINITY;
      await renew(ledger).catch(() => undefined);
    },

    /** Settles all leases and returns unspent calls, in as many rounds as fit into `withinMs`. */
    async close(withinMs: number): Promise<void> {
      stop();
      await close(ledger, withinMs);
    },

    /** Stops without reporting to the ledger, as a crash would. */
    abandon(): void {
      stop();
      ledger.quotas.clear();
    },
  };
}

export type Leases = ReturnType<typeof createLeases>;
export type LeasesReading = ReturnType<Leases['reading']>;
