import { randomUUID } from 'node:crypto';
import { type Clock, SECOND } from '#core/clock';
import type { FailureLog } from '#upstream/failures/failure-log';
import type { Term } from '#users/plan';
import type { Lease } from './lease.ts';
import type { LedgerStore } from './statements/ledger-store.ts';
import { SWEEP_SECONDS } from './statements/process-store.ts';

export type Spender = Term & { key: number; limit: number };

export type Quota = {
  readonly userKey: number;
  /** The number of the shard with the user's rows. Undefined until it has been read. */
  shard: number | undefined;
  /** The lease from which calls are spent, and other leases with a row in the ledger. */
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
  /** A statement with the user is being executed. No other statement includes the user. */
  isBusy: boolean;
  /** Settled with the user's next statement. */
  asked: PromiseWithResolvers<void> | undefined;
  /** The cost that the ledger could not grant, when to retry, and the seconds until calls may be returned. */
  exhausted: { cost: number; until: number; comesBackIn: number | undefined } | undefined;
};

/** Delay before a retry after the allowance was exhausted, in ms. */
export const EXHAUSTED_FOR = SECOND / 2;

export type LedgerOptions = {
  ledger: LedgerStore;
  clock: Clock;
  failures: Pick<FailureLog, 'failed'>;
  /** The least time between two ticks, in ms. */
  tickMs?: number | undefined;
  /** A newly opened page sends about this many calls at once. */
  firstGrant?: number | undefined;
  /** Idle users' leases keep at most one in this many of a period's remaining calls. */
  reservePart?: number | undefined;
  /** How long a call pauses before it retries while other processes return calls, in ms. */
  recallMs?: number | undefined;
  /** How long after its start this process returns no calls of other processes, in ms. */
  sweepAfterMs?: number | undefined;
  /** Called with the time that a call waited for the ledger, in ms. */
  observeWait?: ((ms: number) => void) | undefined;
};

/** The ledger as one process knows it. Instants are on the monotonic clock, in ms. */
export function newLedger({ ledger: store, clock, failures, observeWait, ...options }: LedgerOptions) {
  const { tickMs = SECOND, sweepAfterMs = SWEEP_SECONDS * SECOND } = options;
  const { firstGrant = 50, reservePart = 1000, recallMs = EXHAUSTED_FOR } = options;
  return {
    /** The ID of the process's row. Replaced once other processes have begun to return the calls of the old ID. */
    id: randomUUID(),
    /**
     * Until then, calls may be spent. Both clocks are checked: the wall clock can be set back, and the monotonic clock
     * stops while the machine sleeps.
     */
    usableUntil: { wall: Number.NEGATIVE_INFINITY, elapsed: Number.NEGATIVE_INFINITY },
    quotas: new Map<number, Quota>(),
    store,
    clock,
    failures,
    observeWait,
    tickMs,
    firstGrant,
    reservePart,
    recallMs,
    renewedAt: Number.NEGATIVE_INFINITY,
    /** Until then, the process returns no calls of other processes, because they may have been cut off too. */
    sweepsFrom: clock.elapsed() + sweepAfterMs,
    sweepsAt: clock.elapsed(),
    failedUntil: Number.NEGATIVE_INFINITY,
    confirmedAt: Number.NEGATIVE_INFINITY,
    /** When the rates of the users were last measured. */
    measuredAt: clock.elapsed(),
    /** The time between two ticks. */
    interval: tickMs,
    isClosed: false,
    /** Users who wait for their next statement, and the number of statements for waiting calls that are being executed. */
    queue: new Set<Quota>(),
    isScheduled: false,
    running: 0,
    /** The number of the last report. */
    reports: 0,
    /** Calls that the database has recorded. Later refunds are not subtracted. */
    settledCalls: 0,
    refundedCalls: 0,
  };
}

/** `address`: the URL at which other processes reach this process. */
export type Ledger = ReturnType<typeof newLedger> & { address?: string; renewal?: Promise<void> | undefined };
