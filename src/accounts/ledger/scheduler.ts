import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, SECOND } from '#core/clock';
import { createOneAtATime } from '#core/mutex';
import type { FailureLog } from '#upstream/failure-log';
import { isRunningOut, type Lease, restWanted, wanted } from './lease.ts';
import { isIdle, type QuotaState } from './quota-state.ts';

/** An open lease is reported at least so often, in ms, so that it stays alive. */
const REPORT_EVERY = 10 * SECOND;

/**
 * A lease that goes into a statement, how many calls it should hold in all (0 asks for none), and how many a call that
 * waits costs: if so many cannot be spent from it then, it is granted none.
 */
export type DueLease = { quota: QuotaState; lease: Lease; want: number; need?: number; recalled?: boolean };

const sum = (calls: readonly number[]): number => calls.reduce((all, one) => all + one, 0);
const most = (calls: readonly number[]): number => calls.reduce((most, one) => Math.max(most, one), 1);

/**
 * The leases of users whose calls wait, with those of theirs that ended; whoever is in it is taken out of `users`.
 * @param opening leases whose first grant is under way: they are left out
 * @param atMost of so many leases no further user's are added
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
    // The rate is that of the last tick: more may have come since.
    const rate = Math.max(quota.rate, quota.callsThisTick);
    const isWaitedFor = waiting.length > 0;
    const want = isWaitedFor && lease ? wanted(lease, rate, sum(waiting), firstGrant) : 0;
    if (lease && (isWaitedFor || lease.granted > 0)) items.push({ quota, lease, want, need: most(waiting), recalled });
    // Leases that ended are settled with it: what they give back may be all that is left to grant.
    for (const ended of quota.ended) if (!ended.closed) items.push({ quota, lease: ended, want: 0 });
  }
  return items.filter(({ lease }) => !opening.has(lease));
}

/**
 * What is due in a tick: leases that want more, those that only report, those that give back.
 * @param opening leases whose first grant is under way: those that ended meanwhile are left out
 * @param now on the monotonic clock, in ms
 */
export function dueInTick(
  quotas: Iterable<QuotaState>,
  opening: ReadonlySet<Lease>,
  now: number,
  firstGrant: number,
): Record<'wanting' | 'reporting' | 'returning', DueLease[]> {
  const items = { wanting: [] as DueLease[], reporting: [] as DueLease[], returning: [] as DueLease[] };
  for (const quota of quotas) {
    const { lease, rate, waiting } = quota;
    if (lease && lease.granted > 0) {
      const isAtRest = isIdle(quota, now);
      if (isAtRest && restWanted(lease) > 0) items.returning.push({ quota, lease, want: 0 });
      else if (!isAtRest && isRunningOut(lease, rate))
        items.wanting.push({ quota, lease, want: wanted(lease, rate, sum(waiting), firstGrant) });
      else if (lease.spent !== lease.settled || now - quota.reportedAt >= REPORT_EVERY)
        items.reporting.push({ quota, lease, want: 0 });
    }
    for (const ended of quota.ended)
      if (!opening.has(ended) && (!ended.closed || ended.spent !== ended.settled))
        items.returning.push({ quota, lease: ended, want: 0 });
  }
  return items;
}

/** Up to this many active users the tick is at its shortest; beyond that it grows in proportion, to `LONGEST` times. */
const USERS_PER_TICK = 10_000;
const LONGEST = 4;

/** One statement, as somebody waits for it or not. */
export type Statement = () => Promise<void>;

export type SchedulerOptions = {
  clock: Clock;
  failures: Pick<FailureLog, 'failed'>;
  /** Everything is settled once in this time, in ms; what is not pressing waits for it. */
  tickMs?: number | undefined;
};

type Dependencies = SchedulerOptions & {
  /** The statement for those who wait, and the one for first grants. */
  settleAsking: Statement;
  grantFirst: Statement;
  /** Begins a tick: what is to be settled now, in statements of bounded size, and how many users are active. */
  begin: () => { activeUsers: number; statements: readonly Statement[] };
};

type InTurn = ReturnType<typeof createOneAtATime>;

/** Asks for the next run of a statement, which begins in its turn: all who ask until then share it. */
function createShared(inTurn: InTurn, statement: Statement): Statement {
  let next: Promise<void> | undefined;
  return () => {
    next ??= inTurn(async () => {
      // Requests that arrived together are read one after another: after a turn of the loop all of them are in.
      await nextTurn();
      next = undefined;
      return statement();
    });
    return next;
  };
}

/**
 * When the ledger is settled: one statement at a time, each as soon as the one before it is over. All who wait share
 * the next one, which goes before the statements of a tick that have not begun. First grants, of leases that no other
 * statement has, go beside all these in the same way: they wait for each other alone.
 */
export function createScheduler({ settleAsking, grantFirst, begin, clock, failures, tickMs = SECOND }: Dependencies) {
  const inTurn = createOneAtATime();
  let interval = tickMs;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function tick(): Promise<void> {
    const { activeUsers, statements } = begin();
    interval = tickMs * Math.min(LONGEST, Math.max(1, activeUsers / USERS_PER_TICK));
    // One by one, so that whoever asks meanwhile comes before the next of them.
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
    /** The next statement for those who wait. Throws what it throws. */
    soon: createShared(inTurn, settleAsking),

    /** The next first grants, when those under way are over. Throws what they throw. */
    soonGranted: createShared(createOneAtATime(), grantFirst),

    /** Everything, now. */
    tick,

    /** How far apart ticks are, in ms. */
    interval: (): number => interval,

    /** No more ticks by themselves. */
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
