import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from './clock.ts';
import { createMutex } from './mutex.ts';

const PIECE_MS = 5;
/** Yields to the event loop if the work has blocked it for `PIECE_MS`. */
export type Yield = () => Promise<void> | undefined;

/** Runs long work in pieces that yield to the event loop. Jobs run one at a time, which limits time and memory. */
export function createLongWork() {
  const inTurn = createMutex();

  return function begin<Result>(work: (yieldIfDue: Yield) => Promise<Result>): Promise<Result> {
    return inTurn(() => {
      // This measures real time, independently of the service's clock.
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
