import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from './clock.ts';
import { createOneAtATime } from './mutex.ts';

/** How long a work may keep the event loop to itself, in ms. */
const PIECE_MS = 5;

/** Lets the event loop turn when the work has kept it for long enough. */
export type Yield = () => Promise<void> | undefined;

/**
 * Works that would keep the event loop for long: each is done in pieces, between which whatever else waits has its turn.
 * One work at a time, so that however many there are, they take the time of one piece and the memory of one work.
 */
export function createLongWork() {
  const inTurn = createOneAtATime();

  return function begin<Result>(work: (yieldIfDue: Yield) => Promise<Result>): Promise<Result> {
    return inTurn(() => {
      // The loop's own time, whatever clock the service is given.
      let since = systemClock.elapsed();
      return work(() => {
        if (systemClock.elapsed() - since < PIECE_MS) return undefined;
        return turn().then(() => {
          since = systemClock.elapsed();
        });
      });
    });
  };
}
