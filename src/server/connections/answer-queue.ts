import type { ServerResponse } from 'node:http';
import { SECOND } from '#core/clock';
import { Problem } from '#core/problems';

/** How many answers are given at once, how many may wait, and how long one may take (ms) while others wait. */
type Bounds = { atOnce: number; waiting?: number; patience?: number };

const tooMany = () =>
  new Problem('overloaded', 'Other long answers are under way: ask for them one after another.', {
    retryAfter: 2,
  });

/** Answers that are given in the order in which they came, each until it has gone out or its caller has. */
export function createAnswerQueue({ atOnce, waiting = 0, patience }: Bounds) {
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

    /** Whether no answer is being given: then none waits. */
    isIdle: (): boolean => given.size === 0,
  };
}

/** How many long and wide answers to a user may wait; one is given at a time. */
const WAITING = { long: 3, wide: 30 } as const;
/** The long answers to all users: a year of minutes is 20 MB, and is held until it was read. */
const ALL_USERS = { atOnce: 6, waiting: 100, patience: 20 * SECOND };

/** Creates the queues of long and wide answers: one for each user, and one for the long answers to all. */
export function createAnswerQueues() {
  const byUser = new Map<number, ReturnType<typeof createAnswerQueue>>();
  const all = createAnswerQueue(ALL_USERS);

  /** Waits for the turn of a user's answer. Throws `overloaded` where too many wait. */
  return async function enter(user: number, response: ServerResponse, size: keyof typeof WAITING): Promise<void> {
    const own = byUser.get(user) ?? createAnswerQueue({ atOnce: 1 });
    byUser.set(user, own);
    const leave = () => {
      if (own.isIdle() && byUser.get(user) === own) byUser.delete(user);
    };
    await own.enter(response, WAITING[size]).finally(() => (response.closed ? leave() : response.once('close', leave)));
    if (size === 'long') await all.enter(response);
  };
}
