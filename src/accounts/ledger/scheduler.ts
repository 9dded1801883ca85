import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, SECOND } from '#core/clock';
import { createOneAtATime } from '#core/mutex';
import type { FailureLog } from '#upstream/failure-log';

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
export function createScheduler({
  settleAsking,
  grantFirst,
  begin,
  clock,
  failures,
  tickMs = SECOND,
}: Dependencies) {
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
