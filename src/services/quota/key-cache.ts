import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { type Clock, DAY, MINUTE, SECOND } from '#domain/clock';
import { hashApiKey, isApiKey } from '#domain/quota/api-key';
import { Problem } from '#problems';
import { createFirstInFirstOut } from '#services/caching/fifo-map';
import { reach } from '#services/deadline';
import type { KeyHolder, Look, UserStore } from '#stores/quota/users';
import { unknownKey } from './key-problems.ts';

/** Keys that are remembered at most: the known, and the well-formed that nobody has. */
const KNOWN_KEYS = 100_000;
const UNKNOWN_KEYS = 20_000;
/** How long a key that nobody has is not looked up again, in ms. */
const UNKNOWN_FOR = MINUTE;
/** Look-ups travel together, so many at once; beyond so many waiting, the service is overloaded. */
const LOOKUP_BATCH = 500;
const LOOKUPS_WAITING = 5_000;
/** How long a dead key is kept, so that its end is told of, in ms. */
const DEAD_FOR = 30 * DAY;
/** How long what is known may be acted on while the database does not say whether it still holds, in ms. */
const TRUSTED_FOR = 18 * SECOND;

/**
 * A holder, and the number of the statement it was read with: a statement that began earlier knows no better. Whoever
 * keeps it has to see whether it was forgotten: then it learns nothing any more.
 */
type Known = { holder: KeyHolder; readBy: number; isForgotten: boolean };
type Lookup = PromiseWithResolvers<void>;

type Dependencies = {
  store: UserStore;
  clock: Clock;
  /** How many keys are remembered at most. */
  knownKeys?: number;
};

/**
 * Who presents which key, remembered so that a call costs no look-up. One look-up statement is under way at a
 * time, however many unknown keys arrive, so that they cannot crowd out the calls of the known. What was remembered
 * first is forgotten first, used or not: to note each use would cost a call more than all the rest of this.
 */
export function createKeyCache({ store, clock, knownKeys = KNOWN_KEYS }: Dependencies) {
  const known = createFirstInFirstOut<Known>(knownKeys, (forgotten) => {
    forgotten.isForgotten = true;
  });
  /** The same by the text of the key, so that a call does not even hash it. */
  const presented = createFirstInFirstOut<Known>(knownKeys);
  // As a size, since a cache with a `max` takes the memory for all of them at once.
  const unknown = new LRUCache<string, number>({ maxSize: UNKNOWN_KEYS, sizeCalculation: () => 1 });
  /** Hashes to be looked up and being looked up, with those who wait for it. */
  const lookups = new Map<string, Lookup>();
  const queue: string[] = [];
  let looking = false;
  let statements = 0;
  let look: Look | undefined;
  let syncedAt = clock.elapsed();

  /** Remembers a holder, unless a statement that began later told of it already. */
  function learn(holder: KeyHolder, readBy: number): void {
    const before = known.get(holder.hash);
    if (before && before.readBy > readBy) return;
    unknown.delete(holder.hash);
    if (!before) {
      known.set(holder.hash, { holder, readBy, isForgotten: false });
      return;
    }
    before.readBy = readBy;
    // What is known of a caller elsewhere hangs on the object: it stays the same while nothing changes.
    if (!isDeepStrictEqual(before.holder, holder)) before.holder = holder;
  }

  async function lookUpAll(): Promise<void> {
    looking = true;
    while (queue.length > 0) {
      // What has arrived together is read one after another: all of it shall be in.
      await nextTurn();
      const batch = queue.splice(0, LOOKUP_BATCH);
      const readBy = ++statements;
      try {
        for (const holder of await reach(store.findByHashes(batch))) learn(holder, readBy);
        for (const hash of batch) if (!known.has(hash)) unknown.set(hash, clock.elapsed() + UNKNOWN_FOR);
        for (const hash of batch) lookups.get(hash)?.resolve();
      } catch (error) {
        for (const hash of batch) lookups.get(hash)?.reject(error);
      }
      for (const hash of batch) lookups.delete(hash);
    }
    looking = false;
  }

  function lookUp(hash: string): Promise<void> {
    const underWay = lookups.get(hash);
    if (underWay) return underWay.promise;
    if (queue.length >= LOOKUPS_WAITING) {
      throw new Problem('overloaded', 'Too many keys are being looked up.', { retryAfter: 1 });
    }
    const lookup = Promise.withResolvers<void>();
    lookups.set(hash, lookup);
    queue.push(hash);
    if (!looking) void lookUpAll();
    return lookup.promise;
  }

  async function find(apiKey: string): Promise<KeyHolder> {
    if (!isApiKey(apiKey)) throw unknownKey();
    const hash = hashApiKey(apiKey);
    if (known.has(hash)) {
      refuseStale();
    } else {
      if ((unknown.get(hash) ?? Number.NEGATIVE_INFINITY) > clock.elapsed()) throw unknownKey();
      await reach(lookUp(hash));
    }
    const found = known.get(hash);
    if (!found) throw unknownKey();
    presented.set(apiKey, found);
    return found.holder;
  }

  /** What is not told of any more of these users was deleted. */
  function forgetUntold(told: readonly KeyHolder[], users: ReadonlySet<number>): void {
    const hashes = new Set(told.map(({ hash }) => hash));
    for (const [hash, { holder }] of known.entries()) {
      if (users.has(holder.user.key) && !hashes.has(hash)) known.delete(hash);
    }
  }

  const isStale = (elapsed: number): boolean => elapsed - syncedAt > TRUSTED_FOR;

  function refuseStale(): void {
    if (!isStale(clock.elapsed())) return;
    const detail = 'The database cannot be reached, and whether this key still holds is not known.';
    throw new Problem('database_unavailable', detail, { retryAfter: 2 });
  }

  /** Whose a key is, where that is known and may be acted on now (by the monotonic clock, in ms). */
  function holderAtOnce(apiKey: string, elapsed: number): KeyHolder | undefined {
    const found = presented.get(apiKey);
    return found === undefined || found.isForgotten || isStale(elapsed) ? undefined : found.holder;
  }

  return {
    holderAtOnce,

    /** Whose a key is: at once when it is known, else after a look-up. Throws `api_key_invalid`. */
    holderOf(apiKey: string): KeyHolder | Promise<KeyHolder> {
      return holderAtOnce(apiKey, clock.elapsed()) ?? find(apiKey);
    },

    /** Takes over what changed: on this process at once when called after the change, on others with their tick. */
    async sync(): Promise<readonly KeyHolder[]> {
      const readBy = ++statements;
      const startedAt = clock.elapsed();
      const changed = await reach(store.changedSince(look));
      look = changed.look;
      syncedAt = Math.max(syncedAt, startedAt);
      for (const holder of changed.holders) {
        const { hash } = holder;
        // A look-up that is under way may have been too early to see the change.
        if (known.has(hash) || lookups.has(hash)) learn(holder, readBy);
        else unknown.delete(hash);
      }
      if (changed.crowded.size > 0) forgetUntold(changed.holders, changed.crowded);
      return changed.holders;
    },

    /** Deletes what has been dead for long. */
    tidy: (): Promise<void> => reach(store.deleteDeadKeys(clock.now() - DEAD_FOR)),
  };
}

export type KeyCache = ReturnType<typeof createKeyCache>;
