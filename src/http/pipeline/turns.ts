import type { ServerResponse } from 'node:http';
import { Problem } from '#problems';

/** How many are given at once, how many may wait, and how long one may take while others wait (ms), if there is a limit. */
type Bounds = { atOnce: number; waiting?: number; patience?: number };

const tooMany = () =>
  new Problem('overloaded', 'Other long answers are under way: ask for them one after another.', {
    retryAfter: 2,
  });

/**
 * Answers that are given in turns, in the order of their coming: a turn is over when the answer has gone out, or its
 * caller has.
 */
export function createTurns({ atOnce, waiting = 0, patience }: Bounds) {
  /** Those that are being given, and since when, the first one first. */
  const given = new Map<ServerResponse, number>();
  const queue: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** While others wait, the one that has taken longest is cut off when its time is up: it is read too slowly. */
  function watch(): void {
    clearTimeout(timer);
    const [first] = given;
    if (patience === undefined || queue.length === 0 || !first) return;
    const [response, since] = first;
    timer = setTimeout(() => response.destroy(), Math.max(0, since + patience - performance.now()));
  }

  function begin(response: ServerResponse): void {
    given.set(response, performance.now());
    response.once('close', () => {
      given.delete(response);
      queue.shift()?.();
      watch();
    });
  }

  return {
    /** Waits for an answer's turn. Throws `overloaded` where so many wait. */
    async enter(response: ServerResponse, most: number = waiting): Promise<void> {
      if (response.closed) throw tooMany();
      if (given.size < atOnce) return begin(response);
      if (queue.length >= most) throw tooMany();
      await new Promise<void>((resolve, reject) => {
        const giveUp = () => {
          queue.splice(queue.indexOf(next), 1);
          reject(tooMany());
          watch();
        };
        const next = () => {
          response.off('close', giveUp);
          begin(response);
          resolve();
        };
        queue.push(next);
        response.once('close', giveUp);
        watch();
      });
    },

    /** Whether nobody has a turn: then nobody waits for one. */
    isIdle: (): boolean => given.size === 0,
  };
}

export type Turns = ReturnType<typeof createTurns>;
