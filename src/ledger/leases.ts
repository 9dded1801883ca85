import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, type Instant, instantOf, SECOND } from '#core/clock';
import { DEADLINE, withinDeadline } from '#database/deadline';
import {
  type Call,
  count,
  isUsable,
  type Lease,
  quotaExceeded,
  RECALL_SECONDS,
  remaining,
  unspent,
} from '#ledger/lease';
import { type Detail, detailOf } from '#ledger/usage/call-details';
import type { KeyCounter } from '#ledger/usage/key-limits';
import type { FailureLog } from '#upstream/failures/failure-log';
import { EXHAUSTED_FOR } from './granting.ts';
import { createMembership } from './membership.ts';
import { createQuotas, endLease, type Held, type Quota, type Spender } from './quotas.ts';
import { createSettling } from './settlement.ts';
import type { LedgerStore } from './statements/ledger-store.ts';

export type { Spender } from './quotas.ts';

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
/** Idle users' leases keep at most one in this many of a period's remaining calls. */
const RESERVE_PART = 1000;
/** How many times a call retries while other processes return calls: for twice the time that they usually need. */
const RECALLS = (2 * RECALL_SECONDS * SECOND) / EXHAUSTED_FOR;
/** Up to this number of active users, a tick has its minimum length. Above it, the length grows in proportion. */
const USERS_PER_TICK = 10_000;
const LONGEST_TICK = 4;
/** How long a stopping process waits before it looks again whether its calls in flight have ended, in ms. */
const STOP_INTERVAL = 50;

export type LeaseOptions = {
  ledger: LedgerStore;
  clock: Clock;
  failures: Pick<FailureLog, 'failed'>;
  /** Whether the ledger's tables are distributed over a cluster. */
  isDistributed?: boolean | undefined;
  tickMs?: number | undefined;
  firstGrant?: number | undefined;
  reservePart?: number | undefined;
  /** How long a call pauses before it retries while other processes return calls, in ms. */
  recallMs?: number | undefined;
  /** How long after its start this process returns no calls of other processes, in ms. */
  sweepAfterMs?: number | undefined;
  /** Called with the time that a call waited for the ledger, in ms. */
  observeWait?: ((ms: number) => void) | undefined;
};

/** Charges calls from leases in memory, and settles them later. The README describes the races. */
export function createLeases(options: LeaseOptions) {
  const { ledger, clock, failures, isDistributed = false } = options;
  const { firstGrant = FIRST_GRANT, reservePart = RESERVE_PART } = options;
  const { recallMs = EXHAUSTED_FOR, tickMs = SECOND, sweepAfterMs, observeWait } = options;
  const membership = createMembership({ ledger, clock, isDistributed, sweepAfterMs });
  const quotas = createQuotas(clock, membership.id, reservePart);
  const settling = createSettling({ quotas, ledger, membership, clock, firstGrant, reservePart, isDistributed });
  let refunded = 0;
  let interval = tickMs;
  let isClosed = false;

  async function tick(): Promise<void> {
    const activeUsers = await settling.tick(isClosed);
    interval = tickMs * Math.min(LONGEST_TICK, Math.max(1, activeUsers / USERS_PER_TICK));
  }

  function tickAfter(pause: number): NodeJS.Timeout {
    return setTimeout(async () => {
      const startedAt = clock.elapsed();
      await tick().catch((error) => failures.failed('settlement', error));
      if (!isClosed) timer = tickAfter(Math.max(0, startedAt + interval - clock.elapsed()));
    }, pause);
  }
  let timer = tickAfter(interval);

  function take(quota: Quota, lease: Lease, { elapsed }: Instant, { keyId, path, cost }: Call): Receipt {
    const detail = detailOf(lease, keyId, path);
    if (detail) detail.calls += cost;
    count(lease, cost);
    lease.inFlight += cost;
    quota.callsThisTick += cost;
    quota.lastCallAt = elapsed;
    return { lease, cost, remaining: remaining(lease), isRefunded: false, detail, counter: undefined };
  }

  const mayTake = (lease: Lease, cost: number, at: Instant): boolean =>
    unspent(lease) >= cost && isUsable(lease, at.wall) && lease.process === membership.id() && membership.isValid(at);

  function spendAtOnce(spender: Spender, call: Call, at: Instant): Receipt | undefined {
    const quota = quotas.of(spender.key);
    const { lease } = quota;
    return lease && mayTake(lease, call.cost, at) ? take(quota, lease, at, call) : undefined;
  }

  /** Waits up to `atMost` ms for the next statement. Another call of the user may spend the calls that it grants. */
  async function settled(quota: Quota, cost: number, atMost: number): Promise<void> {
    quota.lastCallAt = clock.elapsed();
    quota.waiting.push(cost);
    await withinDeadline(settling.ask(quota), undefined, atMost).finally(() => {
      quota.waiting.splice(quota.waiting.indexOf(cost), 1);
    });
  }

  async function acquire(quota: Quota, spender: Spender, call: Call, waited: number): Promise<Receipt> {
    const { cost } = call;
    const since = clock.elapsed();
    const until = since + DEADLINE - waited;
    let hasWaited = false;
    let recalls = 0;
    try {
      for (;;) {
        const lease = quotas.currentLease(quota, spender, call);
        const at = instantOf(clock);
        if (mayTake(lease, cost, at)) return take(quota, lease, at, call);
        const { exhausted } = quota;
        if (exhausted && cost >= exhausted.cost && at.elapsed < exhausted.until) {
          if (cost === 1 || exhausted.comesBackIn === undefined || recalls === RECALLS) {
            // The lease's calls are too few for this call, but may suffice for a cheaper call in any process.
            if (cost > 1 && unspent(lease) > 0) recall(quota);
            throw quotaExceeded(cost, exhausted.comesBackIn, lease, at.wall);
          }
          recalls += 1;
          await wait(recallMs);
        }
        membership.refuseFailed();
        hasWaited = true;
        await settled(quota, cost, until - clock.elapsed());
      }
    } finally {
      if (hasWaited) observeWait?.(clock.elapsed() - since);
    }
  }

  /** Returns leased calls. If the statement fails, the next tick repeats it, and reports the failure. */
  function recall(quota: Quota): void {
    quota.isRecalled = true;
    void settling.ask(quota);
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
      count(lease, -cost);
      lease.inFlight -= cost;
    },

    /** Called when another statement of this process failed. */
    databaseFailed: membership.failed,
    of: quotas.leasesOf,
    /** Whether calls can be spent from a lease. */
    isUsable: (lease: Lease): boolean => mayTake(lease, 0, instantOf(clock)),
    /** The calls allowed in the current period, credits included, as far as this process knows. */
    limitOf: ({ key, limit }: Pick<Spender, 'key' | 'limit'>): number => quotas.find(key)?.lease?.limit ?? limit,

    reading: (): LeasesReading => ({
      ...quotas.held(),
      settled: settling.settled(),
      refunded,
      tick: interval,
      sinceConfirmed: membership.sinceConfirmed(),
    }),

    /** Returns leased calls: another process may need them, or the limit may have changed. */
    review(users: Iterable<Pick<Spender, 'key' | 'limit'>>): void {
      for (const { key } of users) {
        const quota = quotas.find(key);
        if (quota?.lease) recall(quota);
      }
    },

    settle: tick,
    processId: membership.id,
    announce: membership.announce,

    /** Settles all leases and returns unspent calls, in as many rounds as fit into `withinMs`. */
    async close(withinMs: number): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      const deadline = clock.elapsed() + withinMs;
      const report = (error: unknown) => failures.failed('settlement', error, { isStopping: true });
      while (!quotas.areSettled() && clock.elapsed() < deadline) {
        // Waiting calls receive their grants before their leases end.
        for (const quota of quotas.all()) if (quota.waiting.length === 0 && !quota.isBusy) endLease(quota);
        const isDone = await tick().then(quotas.areSettled, report);
        if (!isDone) await wait(STOP_INTERVAL);
      }
      if (quotas.areSettled()) await withinDeadline(membership.leave()).catch(report);
    },

    /** Stops without reporting to the ledger, as a crash would. */
    abandon(): void {
      isClosed = true;
      clearTimeout(timer);
      quotas.clear();
    },
  };
}
