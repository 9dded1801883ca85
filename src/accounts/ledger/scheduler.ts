import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, type Instant, SECOND } from '#core/clock';
import { createMutex } from '#core/mutex';
import type { FailureLog } from '#upstream/failure-log';
import { isRunningOut, type Lease, mustBeSettled, restWanted, wanted } from './lease.ts';
import { isIdle, type QuotaState } from './quota-state.ts';

/**
 * `want` is the total number of calls that the lease should hold; 0 requests none. `need` is the cost of the most
 * expensive waiting call. If fewer calls are available, none are granted.
 */
export type DueLease = { quota: QuotaState; lease: Lease; want: number; need?: number; recalled?: boolean };

const sum = (calls: readonly number[]): number => calls.reduce((all, one) => all + one, 0);
const most = (calls: readonly number[]): number => calls.reduce((most, one) => Math.max(most, one), 1);

/**
 * Returns the leases of users whose calls wait, including ended leases. Removes handled users from `users`.
 * @param opening leases to omit, because their first grant is in progress
 * @param atMost the number of leases at which no further user is added
 */
export function dueOfAsking(
  users: Set<QuotaState>,
  opening: ReadonlySet<Lease>,
  atMost: number,
  firstGrant: number,
): DueLease[] {
  const items: DueLease[] = [];
  for (const quota of users) {
    if (items.length >= atMost) break;
    users.delete(quota);
    const { lease, waiting, recalled } = quota;
    quota.recalled = false;
    // More calls may have arrived since the last tick.
    const rate = Math.max(quota.rate, quota.callsThisTick);
    const isWaitedFor = waiting.length > 0;
    const want = isWaitedFor && lease ? wanted(lease, rate, sum(waiting), firstGrant) : 0;
    if (lease && (isWaitedFor || lease.granted > 0)) items.push({ quota, lease, want, need: most(waiting), recalled });
    // The unspent calls of ended leases may be the only calls left to grant.
    for (const ended of quota.ended) if (!ended.closed) items.push({ quota, lease: ended, want: 0 });
  }
  return items.filter(({ lease }) => !opening.has(lease));
}

/**
 * Returns the leases that a tick settles.
 * @param opening leases whose first grant is in progress; ended ones among them are omitted
 */
export function dueInTick(
  quotas: Iterable<QuotaState>,
  opening: ReadonlySet<Lease>,
  now: Instant,
  firstGrant: number,
): Record<'wanting' | 'returning', DueLease[]> {
  const items = { wanting: [] as DueLease[], returning: [] as DueLease[] };
  for (const quota of quotas) {
    const { lease, rate, waiting } = quota;
    if (lease && lease.granted > 0) {
      const isAtRest = isIdle(quota, now.elapsed);
      if (!isAtRest && isRunningOut(lease, rate))
        items.wanting.push({ quota, lease, want: wanted(lease, rate, sum(waiting), firstGrant) });
      else if ((isAtRest && restWanted(lease) > 0) || mustBeSettled(lease, now))
        items.returning.push({ quota, lease, want: 0 });
    }
    for (const ended of quota.ended)
      if (!opening.has(ended) && (!ended.closed || ended.spent !== ended.settled))
        items.returning.push({ quota, lease: ended, want: 0 });
  }
  return items;
}

/** Up to this number of active users, a tick has its minimum length. Above it, the length grows in proportion. */
const USERS_PER_TICK = 10_000;
const LONGEST = 4;

export type Statement = () => Promise<void>;

export type SchedulerOptions = {
  clock: Clock;
  failures: Pick<FailureLog, 'failed'>;
  tickMs?: number | undefined;
};

type Dependencies = SchedulerOptions & {
  settleAsking: Statement;
  grantFirst: Statement;
  /** Returns the statements of a tick, each of bounded size, and the number of active users. */
  begin: () => { activeUsers: number; statements: readonly Statement[] };
};

type InTurn = ReturnType<typeof createMutex>;

/** Returns a function that requests the next run. All requests before the start of that run share it. */
function createShared(inTurn: InTurn, statement: Statement): Statement {
  let next: Promise<void> | undefined;
  return () => {
    next ??= inTurn(async () => {
      // After a turn of the event loop, all requests that arrived together have been parsed and join this statement.
      await nextTurn();
      next = undefined;
      return statement();
    });
    return next;
  };
}

/**
 * Runs one ledger statement at a time. Waiting calls share the next statement, which runs before the remaining
 * statements of a tick. First grants run in parallel with other statements: no other statement includes their leases.
 */
export function createScheduler({ settleAsking, grantFirst, begin, clock, failures, tickMs = SECOND }: Dependencies) {
  const inTurn = createMutex();
  let interval = tickMs;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function tick(): Promise<void> {
    const { activeUsers, statements } = begin();
    interval = tickMs * Math.min(LONGEST, Math.max(1, activeUsers / USERS_PER_TICK));
    // Queued one by one, so that waiting calls can run between them.
    for (const statement of statements) await inTurn(statement);
  }

  function tickAfter(pause: number): void {
    timer = setTimeout(async () => {
      const startedAt = clock.elapsed();
      await tick().catch((error) => failures.failed('settlement', error));
      if (!isClosed) tickAfter(Math.max(0, startedAt + interval - clock.elapsed()));
    }, pause);
  }
  tickAfter(interval);

  return {
    /** Requests the next statement for waiting calls. Rejects with its error. */
    soon: createShared(inTurn, settleAsking),
    soonGranted: createShared(createMutex(), grantFirst),
    tick,
    interval: (): number => interval,

    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
