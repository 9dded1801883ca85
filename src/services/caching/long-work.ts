import { setImmediate as turn } from 'node:timers/promises';
import { createOneAtATime } from '#domain/one-at-a-time';

/** For so long a work may keep the loop to itself, in ms. */
const PIECE = 5;

/** Lets the loop turn where the work has kept it for long enough. */
export type Rest = () => Promise<void> | undefined;

/**
 * Works that would keep the loop for long, one after another: each is done in pieces, and between two of them whatever
 * else is waiting has its turn. One at a time, so that however many are asked for, the loop is kept for one piece, and
 * the memory of one is taken.
 */
export function createLongWork() {
  const inTurn = createOneAtATime();

  return function begin<Result>(work: (rest: Rest) => Promise<Result>): Promise<Result> {
    return inTurn(() => {
      let since = performance.now();
      return work(() => {
        if (performance.now() - since < PIECE) return undefined;
        return turn().then(() => {
          since = performance.now();
        });
      });
    });
  };
}
