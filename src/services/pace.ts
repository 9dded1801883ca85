import { setTimeout as wait } from 'node:timers/promises';
import { SECOND } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';

/**
 * `tick`: everything is settled once in this time, and what is not pressing waits for it. `spacing`: statements lie
 * at least so far apart, eight a second, and with the tick's look at the users no more than ten. Both in ms.
 */
const PACE = { tick: SECOND, spacing: 125 };

export type Pace = typeof PACE;

/** A turn to settle: whether it is a tick's, and how to say that it takes a statement more than the one. */
export type Turn = { isTick: boolean; oneMore: () => void };

type Parts = { settle: (turn: Turn) => Promise<void>; log: Log; pace?: Pace | undefined };

/** When the ledger is settled: one statement at a time, spaced, each shared by all who wait for it. */
export function createPacing({ settle, log, pace = PACE }: Parts) {
  let tickIsDue = false;
  let nextStart = Number.NEGATIVE_INFINITY;
  let scheduled: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();

  function turn(): Turn {
    const isTick = tickIsDue;
    tickIsDue = false;
    return {
      isTick,
      oneMore: () => {
        nextStart += pace.spacing;
      },
    };
  }

  function soon(): Promise<void> {
    scheduled ??= (async () => {
      await running.catch(() => undefined);
      const pause = nextStart - performance.now();
      if (pause > 0) await wait(pause);
      scheduled = undefined;
      nextStart = performance.now() + pace.spacing;
      running = settle(turn());
      await running;
    })();
    return scheduled;
  }

  function tick(): Promise<void> {
    tickIsDue = true;
    return soon();
  }

  const ticking = setInterval(() => {
    tick().catch((err) => log.warn({ err }, 'the ledger could not be settled'));
  }, pace.tick);

  return {
    /** The next statement: all who ask until it starts share it. Throws what it throws. */
    soon,

    /** The next statement, and everything with it. */
    tick,

    /** No more ticks by themselves. */
    close: (): void => clearInterval(ticking),
  };
}
