import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { unknownKey } from '#accounts/keys/key-problems';
import type { KeyHolder, UserCursor, UserStore } from '#accounts/keys/user-store';
import { type Clock, MINUTE, SECOND } from '#core/clock';
import { createFirstInFirstOut } from '#core/fifo-map';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import { DEAD_KEYS_STORED_FOR, hashApiKey, isApiKey } from './api-key.ts';
import { createKeyUse, UNUSED, type Use } from './key-use.ts';

/** Keys that are remembered at most: the known, and the well-formed that nobody has. */
const KNOWN_KEYS = 100_000;
const UNKNOWN_KEYS = 20_000;
/** How long a key that nobody has is not looked up again, in ms. */
const UNKNOWN_FOR = MINUTE;
/** Look-ups travel together, so many at once; beyond so many waiting, the service is overloaded. */
const LOOKUP_BATCH = 500;
const LOOKUPS_WAITING = 5_000;
/** How long what is known may be acted on while the database does not say whether it still holds, in ms. */
const TRUSTED_FOR = 18 * SECOND;

/** Who makes a call, and with which of the user's keys. */
export type Caller = KeyHolder & Use;

/**
 * A holder, and the number of the statement it was read with: what an earlier statement read is older. Once forgotten,
 * it is no longer updated, so whoever still refers to it must not use it.
 */
type Known = { holder: Caller; readByStatement: number; isForgotten: boolean };
type Lookup = PromiseWithResolvers<void>;

type Dependencies = {
  store: UserStore;
  clock: Clock;
  /** How many keys are remembered at most. */
  knownKeys?: number;
};

/**
 * Who presents which key, remembered so that a call costs no look-up. One look-up statement is under way at a time,
 * however many unknown keys arrive, so that they cannot crowd out the calls of known ones. What was remembered first is
 * forgotten first, used or not: to record each use would cost a call more than all the rest of this.
 */
export function createKeyCache({ store, clock, knownKeys = KNOWN_KEYS }: Dependencies) {
  const holderByHash = createFirstInFirstOut<Known>(knownKeys, (forgotten) => {
    forgotten.isForgotten = true;
  });
  /** The same by the text of the key, so that a call does not even hash it. */
  const holderByText = createFirstInFirstOut<Known>(knownKeys);
  const absentHashes = new LRUCache<string, true>({
    // As a size, since a cache with a `max` takes the memory for all of them at once.
    maxSize: UNKNOWN_KEYS,
    sizeCalculation: () => 1,
    ttl: UNKNOWN_FOR,
    ttlResolution: 0,
    perf: { now: clock.elapsed },
  });
  /** Hashes to be looked up and being looked up, with those who wait for it. */
  const lookups = new Map<string, Lookup>();
  const queue: string[] = [];
  let looking = false;
  /** Why the last look-up failed. */
  let lookupFailure: unknown;
  let statements = 0;
  let cursor: UserCursor | undefined;
  let syncedAt = clock.elapsed();

  /** Remembers a holder, unless a statement that began later told of it already. */
  function learn(read: KeyHolder, readByStatement: number): void {
    const before = holderByHash.get(read.hash);
    if (before && before.readByStatement > readByStatement) return;
    absentHashes.delete(read.hash);
    const { usedMinute, pageOrigin } = before?.holder ?? UNUSED;
    const holder = { ...read, usedMinute, pageOrigin };
    if (!before) {
      holderByHash.set(holder.hash, { holder, readByStatement, isForgotten: false });
      return;
    }
    before.readByStatement = readByStatement;
    // Others keep what they know of a caller by this object, so it stays the same while nothing changes.
    if (!isDeepStrictEqual(before.holder, holder)) before.holder = holder;
  }

  async function lookUpAll(): Promise<void> {
    looking = true;
    while (queue.length > 0) {
      // Requests that arrived together are read one after another: after a turn of the loop all of them are in.
      await nextTurn();
      const batch = queue.splice(0, LOOKUP_BATCH);
      const readByStatement = ++statements;
      try {
        for (const holder of await withinDeadline(store.findByHashes(batch))) learn(holder, readByStatement);
        lookupFailure = undefined;
        for (const hash of batch) if (!holderByHash.has(hash)) absentHashes.set(hash, true);
        for (const hash of batch) lookups.get(hash)?.resolve();
      } catch (error) {
        lookupFailure = error;
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
      throw new Problem('overloaded', 'Too many keys are being looked up.', {
        retryAfter: 1,
        cause: lookupFailure,
      });
    }
    const lookup = Promise.withResolvers<void>();
    lookups.set(hash, lookup);
    queue.push(hash);
    if (!looking) void lookUpAll();
    return lookup.promise;
  }

  async function find(apiKey: string): Promise<Caller> {
    if (!isApiKey(apiKey)) throw unknownKey();
    const hash = hashApiKey(apiKey);
    if (holderByHash.has(hash)) {
      refuseStale();
    } else {
      if (absentHashes.has(hash)) throw unknownKey();
      await withinDeadline(lookUp(hash));
    }
    const found = holderByHash.get(hash);
    if (!found) throw unknownKey();
    holderByText.set(apiKey, found);
    return found.holder;
  }

  /** Forgets the keys of these users that were deleted: those that were not read. */
  function forgetDeleted(read: readonly KeyHolder[], users: ReadonlySet<number>): void {
    const hashes = new Set(read.map(({ hash }) => hash));
    for (const [hash, { holder }] of holderByHash.entries()) {
      if (users.has(holder.user.key) && !hashes.has(hash)) holderByHash.delete(hash);
    }
  }

  const use = createKeyUse({ store, clock });

  const isStale = (elapsed: number): boolean => elapsed - syncedAt > TRUSTED_FOR;

  function refuseStale(): void {
    if (!isStale(clock.elapsed())) return;
    const detail = 'The database cannot be reached, and whether this key still holds is not known.';
    throw new Problem('database_unavailable', detail, { retryAfter: 2 });
  }

  /** Whose a key is, where that is known and may be acted on now (by the monotonic clock, in ms). */
  function holderAtOnce(apiKey: string, elapsed: number): Caller | undefined {
    const found = holderByText.get(apiKey);
    return found === undefined || found.isForgotten || isStale(elapsed) ? undefined : found.holder;
  }

  return {
    holderAtOnce,

    /** Whose a key is: at once when it is known, else after a look-up. Throws `api_key_invalid`. */
    holderOf(apiKey: string): Caller | Promise<Caller> {
      return holderAtOnce(apiKey, clock.elapsed()) ?? find(apiKey);
    },

    /** Reloads what changed: at once in the process that made the change, in the others with their next tick. */
    async sync(): Promise<readonly KeyHolder[]> {
      const readByStatement = ++statements;
      const startedAt = clock.elapsed();
      const wasStale = isStale(startedAt);
      const changed = await withinDeadline(store.changedSince(cursor));
      cursor = changed.cursor;
      syncedAt = Math.max(syncedAt, startedAt);
      for (const holder of changed.holders) {
        const { hash } = holder;
        // A look-up that is under way may have been too early to see the change.
        if (holderByHash.has(hash) || lookups.has(hash)) learn(holder, readByStatement);
        else absentHashes.delete(hash);
      }
      // Dead keys are deleted after a month, or where there are many: after an outage either may have been missed.
      const mayLackKeys = wasStale ? changed.users : changed.crowded;
      if (mayLackKeys.size > 0) forgetDeleted(changed.holders, mayLackKeys);
      return changed.holders;
    },

    /** A caller's key is used now (Unix ms), by a page of that origin if it is one of another site. */
    noteUse: use.note,

    /** Writes which keys were used, up to a bound; tells whether that was all. Throws `database_unavailable`. */
    writeUse: use.write,

    /** Deletes what has been dead for long. */
    tidy: (): Promise<void> => withinDeadline(store.deleteDeadKeys(clock.now() - DEAD_KEYS_STORED_FOR)),
  };
}

export type KeyCache = ReturnType<typeof createKeyCache>;
