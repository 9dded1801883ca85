import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';

/** The number of keys per statement, and the number of waiting look-ups from which `overloaded` is thrown. */
const BATCH = 500;
const WAITING = 5_000;

/**
 * Looks up keys that are not cached, one shared statement at a time, so that calls with cached keys are not delayed.
 * @param read caches the keys that exist
 */
export function createKeyLookups(read: (hashes: readonly string[]) => Promise<void>) {
  const underWay = new Map<string, PromiseWithResolvers<void>>();
  const queue: string[] = [];
  let isRunning = false;
  let failure: unknown;

  async function run(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      // After a turn of the event loop, all requests that arrived together can share this statement.
      await nextTurn();
      const batch = queue.splice(0, BATCH);
      failure = await read(batch).catch((error) => error);
      for (const hash of batch) {
        if (failure === undefined) underWay.get(hash)?.resolve();
        else underWay.get(hash)?.reject(failure);
        underWay.delete(hash);
      }
    }
    isRunning = false;
  }

  return {
    has: (hash: string): boolean => underWay.has(hash),

    /** Resolves when the key has been looked up. Throws `overloaded` and `database_unavailable`. */
    lookUp(hash: string): Promise<void> {
      let lookup = underWay.get(hash);
      if (!lookup) {
        if (queue.length >= WAITING)
          throw new Problem('overloaded', 'The service is checking too many keys at the same time.', {
            retryAfter: 1,
            cause: failure,
          });
        lookup = Promise.withResolvers<void>();
        underWay.set(hash, lookup);
        queue.push(hash);
        if (!isRunning) void run();
      }
      return withinDeadline(lookup.promise);
    },
  };
}
