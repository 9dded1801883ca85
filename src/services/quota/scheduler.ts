import { setImmediate as nextTurn } from 'node:timers/promises';
import { SECOND } from '#domain/clock';
import type { Log } from '#domain/log';

/** Everything is settled once in this time (ms), and what is not pressing waits for it. */
const PACE = { tick: SECOND };
/** So many keys in use are settled in the shortest tick; with more it stretches, to so many times as long at most. */
const KEYS_A_TICK = 10_000;
const LONGEST = 4;

export type Pace = typeof PACE;

/** One statement, as somebody waits for it or not. */
export type Statement = () => Promise<void>;

type Dependencies = {
  /** The statement for those who wait. */
  settleAsking: Statement;
  /** Begins a tick: what is to be settled now, in statements of bounded size, and how many keys are in use. */
  begin: () => { inUse: number; statements: readonly Statement[] };
  log: Log;
  pace?: Pace | undefined;
};

/**
 * When the ledger is settled: one statement at a time, each as soon as the one before it is over. All who wait share the
 * next; those of a tick let them go first.
 */
export function createScheduler({ settleAsking, begin, log, pace = PACE }: Dependencies) {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let interval = pace.tick;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** Whoever comes while one is under way is behind it, and before what is only then put in turn. */
  function inTurn(statement: Statement): Promise<void> {
    const done = last.then(statement);
    last = done.catch(() => undefined);
    return done;
  }

  function soon(): Promise<void> {
    next ??= inTurn(async () => {
      // What has arrived together is read one after another: all of it shall be in.
      await nextTurn();
      next = undefined;
      return settleAsking();
    });
    return next;
  }

  async function tick(): Promise<void> {
    const { inUse, statements } = begin();
    interval = pace.tick * Math.min(LONGEST, Math.max(1, inUse / KEYS_A_TICK));
    for (const statement of statements) await inTurn(statement);
  }

  function tickAfter(pause: number): void {
    timer = setTimeout(async () => {
      const startedAt = performance.now();
      await tick().catch((err) => log.warn({ err }, 'the ledger could not be settled'));
      if (!isClosed) tickAfter(Math.max(0, startedAt + interval - performance.now()));
    }, pause);
  }
  tickAfter(interval);

  return {
    /** The next statement: all who ask until it starts share it. Throws what it throws. */
    soon,

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
