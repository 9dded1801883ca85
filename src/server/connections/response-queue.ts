import type { ServerResponse } from 'node:http';
import { SECOND } from '#core/clock';
import { Problem } from '#core/problems';

/** How many responses run and wait at once, and how long one may take (ms) while others wait. */
type Bounds = { atOnce: number; waiting?: number; patience?: number };

const DETAIL = 'The service is still sending other long responses to this user. Request long responses one at a time.';
const tooMany = () => new Problem('overloaded', DETAIL, { retryAfter: 2 });

/** Each response occupies a slot until it has been sent or its client disconnects. The others wait in order. */
export function createResponseQueue({ atOnce, waiting = 0, patience }: Bounds) {
  const startedAt = new Map<ServerResponse, number>();
  const queue: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** While other responses wait, the oldest response is cut at the time limit, because its client reads too slowly. */
  function watch(): void {
    clearTimeout(timer);
    const [first] = startedAt;
    if (patience === undefined || queue.length === 0 || !first) return;
    const [response, since] = first;
    timer = setTimeout(() => response.destroy(), Math.max(0, since + patience - performance.now()));
  }

  function begin(response: ServerResponse): void {
    startedAt.set(response, performance.now());
    response.once('close', () => {
      startedAt.delete(response);
      queue.shift()?.();
      watch();
    });
  }

  return {
    /** Waits for a response's turn. Throws `overloaded` if too many responses wait. */
    async enter(response: ServerResponse, maxWaiting: number = waiting): Promise<void> {
      if (response.closed) throw tooMany();
      if (startedAt.size < atOnce) return begin(response);
      if (queue.length >= maxWaiting) throw tooMany();
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

    isIdle: (): boolean => startedAt.size === 0,
  };
}

/** How many responses to a user may wait while one is sent. */
const WAITING = { long: 3, wide: 30 } as const;
/** Bounds of long responses to all users. A long response can take 20 MB of memory until the client has read it. */
const ALL_USERS = { atOnce: 6, waiting: 100, patience: 20 * SECOND };

/** One queue per user for long and wide responses, and one queue for long responses to all users. */
export function createResponseQueues() {
  const byUser = new Map<number, ReturnType<typeof createResponseQueue>>();
  const all = createResponseQueue(ALL_USERS);

  return async function enter(user: number, response: ServerResponse, size: keyof typeof WAITING): Promise<void> {
    const own = byUser.get(user) ?? createResponseQueue({ atOnce: 1 });
    byUser.set(user, own);
    const leave = () => {
      if (own.isIdle() && byUser.get(user) === own) byUser.delete(user);
    };
    await own.enter(response, WAITING[size]).finally(() => (response.closed ? leave() : response.once('close', leave)));
    if (size === 'long') await all.enter(response);
  };
}
