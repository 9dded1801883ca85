import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, type Instant, instantOf, SECOND } from '#core/clock';
import { DEADLINE, withinDeadline } from '#database/deadline';
import { type Detail, detailOf } from '#ledger/usage/call-details';
import type { KeyCounter } from '#ledger/usage/key-limits';
import type { FailureLog } from '#upstream/failures/failure-log';
import { EXHAUSTED_FOR } from './granting.ts';
import { type Call, count, isUsable, type Lease, quotaExceeded, RECALL_SECONDS, remaining, unspent } from './lease.ts';
import { announce, databaseFailed, isValid, newMembership, refuseFailed } from './membership.ts';
import {
  areClosed,
  currentLease,
  endLease,
  heldCalls,
  type Ledger,
  leasesOf,
  type Quota,
  quotaOf,
  type Spender,
} from './quotas.ts';
import { settle } from './settlement.ts';
import type { LedgerStore } from './statements/ledger-store.ts';
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

/** `tick` is in ms. `sinceConfirmed`: since the database last responded, in ms; Infinity before its first response. */
export type LeasesReading = ReturnType<typeof heldCalls> & {
  settled: number;
  refunded: number;
  tick: number;
  sinceConfirmed: number;
};

/** A newly opened page sends about this many calls at once. */
const FIRST_GRANT = 50;
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
  isDistributed?: boolean | undefined;
  tickMs?: number | undefined;
  firstGrant?: number | undefined;
  reservePart?: number | undefined;
  recallMs?: number | undefined;
  sweepAfterMs?: number | undefined;
  observeWait?: ((ms: number) => void) | undefined;
};

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

/** Waits up to `atMost` ms for the next statement. Another call of the user may spend the calls that it grants. */
async function nextStatement(ledger: Ledger, quota: Quota, cost: number, atMost: number): Promise<void> {
  quota.lastCallAt = ledger.clock.elapsed();
  quota.waiting.push(cost);
  await withinDeadline(ask(ledger, quota), undefined, atMost).finally(() => {
    quota.waiting.splice(quota.waiting.indexOf(cost), 1);
  });
}

/** Charges a call that `spendAtOnce` cannot charge. */
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
      await nextStatement(ledger, quota, cost, since + DEADLINE - waited - clock.elapsed());
    }
  } finally {
    if (hasWaited) observeWait?.(clock.elapsed() - since);
  }
}

/** Charges calls from leases in memory, and settles them later. The README describes the races. */
export function createLeases(options: LeaseOptions) {
  const { clock, failures, isDistributed = false, tickMs = SECOND } = options;
  const ledger: Ledger = {
    ...newMembership(options.ledger, clock, isDistributed, options.sweepAfterMs),
    quotas: new Map(),
    queue: new Set(),
    running: 0,
    isScheduled: false,
    reports: 0,
    measuredAt: clock.elapsed(),
    sweepsAt: clock.elapsed(),
    settledCalls: 0,
    firstGrant: options.firstGrant ?? FIRST_GRANT,
    reservePart: options.reservePart ?? RESERVE_PART,
    recallMs: options.recallMs ?? EXHAUSTED_FOR,
    observeWait: options.observeWait,
  };
  let refunded = 0;
  let interval = tickMs;
  let isClosed = false;
  let timer = tickAfter(interval);

  async function tick(): Promise<void> {
    const activeUsers = await settle(ledger, isClosed);
    interval = tickMs * Math.min(LONGEST_TICK, Math.max(1, activeUsers / USERS_PER_TICK));
  }

  function tickAfter(pause: number): NodeJS.Timeout {
    return setTimeout(async () => {
      const startedAt = clock.elapsed();
      await tick().catch((error) => failures.failed('settlement', error));
      if (!isClosed) timer = tickAfter(Math.max(0, startedAt + interval - clock.elapsed()));
    }, pause);
  }

  function stop(): void {
    isClosed = true;
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
      refunded += cost;
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

    reading: (): LeasesReading => ({
      ...heldCalls(ledger),
      settled: ledger.settledCalls,
      refunded,
      tick: interval,
      sinceConfirmed: clock.elapsed() - ledger.confirmedAt,
    }),

    /** Returns leased calls: another process may need them, or the limit may have changed. */
    review(users: Iterable<Pick<Spender, 'key' | 'limit'>>): void {
      for (const { key } of users) {
        const quota = ledger.quotas.get(key);
        if (quota?.lease) recall(ledger, quota);
      }
    },

    settle: tick,
    processId: (): string => ledger.id,
    /** Stores the URL at which other processes reach this one. If that fails, the next tick repeats it. */
    announce: (address: string): Promise<void> => announce(ledger, address),

    /** Settles all leases and returns unspent calls, in as many rounds as fit into `withinMs`. */
    async close(withinMs: number): Promise<void> {
      stop();
      const deadline = clock.elapsed() + withinMs;
      const report = (error: unknown) => failures.failed('settlement', error, { isStopping: true });
      while (!areClosed(ledger) && clock.elapsed() < deadline) {
        // Waiting calls receive their grants before their leases end.
        for (const quota of ledger.quotas.values()) if (quota.waiting.length === 0 && !quota.isBusy) endLease(quota);
        const isDone = await tick().then(() => areClosed(ledger), report);
        if (!isDone) await wait(STOP_INTERVAL);
      }
      if (areClosed(ledger)) await withinDeadline(ledger.store.leave(ledger.id)).catch(report);
    },

    /** Stops without reporting to the ledger, as a crash would. */
    abandon(): void {
      stop();
      ledger.quotas.clear();
    },
  };
}

export type Leases = ReturnType<typeof createLeases>;
