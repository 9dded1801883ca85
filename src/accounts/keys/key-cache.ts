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

/** How many keys are cached, and how many well-formed keys that do not exist. */
const KNOWN_KEYS = 100_000;
const UNKNOWN_KEYS = 20_000;
/** How long a key that does not exist is cached, in ms. */
const UNKNOWN_FOR = MINUTE;
/** Keys per look-up statement, and how many look-ups may wait before `overloaded` is thrown. */
const LOOKUP_BATCH = 500;
const LOOKUPS_WAITING = 5_000;
/** How long cached keys are accepted while the database does not respond, in ms. */
const TRUSTED_FOR = 18 * SECOND;

export type Caller = KeyHolder & Use;
/** Once removed from the cache, a holder is no longer updated and must not be used. */
type Known = { holder: Caller; readByStatement: number; isForgotten: boolean };
type Lookup = PromiseWithResolvers<void>;
type Dependencies = { store: UserStore; clock: Clock; knownKeys?: number };

/** One look-up statement runs at a time, so unknown keys cannot delay known ones. The oldest entry is evicted first. */
export function createKeyCache({ store, clock, knownKeys = KNOWN_KEYS }: Dependencies) {
  const holderByHash = createFirstInFirstOut<Known>(knownKeys, (forgotten) => {
    forgotten.isForgotten = true;
  });
  /** By the key's text, so that a call need not hash the key. */
  const holderByText = createFirstInFirstOut<Known>(knownKeys);
  const absentHashes = new LRUCache<string, true>({
    // Bounded by `maxSize`: a cache with `max` allocates the memory for all entries at once.
    maxSize: UNKNOWN_KEYS,
    sizeCalculation: () => 1,
    ttl: UNKNOWN_FOR,
    ttlResolution: 0,
    perf: { now: clock.elapsed },
  });
  const lookups = new Map<string, Lookup>();
  const queue: string[] = [];
  let looking = false;
  let lookupFailure: unknown;
  let statements = 0;
  let cursor: UserCursor | undefined;
  let syncedAt = clock.elapsed();

  /** Caches a holder, unless a later statement has already read it. */
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
    // Other modules refer to a user by this object, so it is replaced only when something changes.
    if (!isDeepStrictEqual(before.holder, holder)) before.holder = holder;
  }

  async function lookUpAll(): Promise<void> {
    looking = true;
    while (queue.length > 0) {
      // Requests that arrive together are read in sequence: after one turn of the loop, all have been read.
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
      throw new Problem('overloaded', 'Too many keys are being looked up.', { retryAfter: 1, cause: lookupFailure });
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
    const detail = 'The database is not responding, so the key cannot be checked.';
    throw new Problem('database_unavailable', detail, { retryAfter: 2 });
  }

  function holderAtOnce(apiKey: string, elapsed: number): Caller | undefined {
    const found = holderByText.get(apiKey);
    return found === undefined || found.isForgotten || isStale(elapsed) ? undefined : found.holder;
  }

  return {
    holderAtOnce,
    /** Returns the holder: immediately if it is cached, otherwise after a look-up. Throws `api_key_invalid`. */
    holderOf: (apiKey: string): Caller | Promise<Caller> => holderAtOnce(apiKey, clock.elapsed()) ?? find(apiKey),

    async sync(): Promise<readonly KeyHolder[]> {
      const readByStatement = ++statements;
      const startedAt = clock.elapsed();
      const wasStale = isStale(startedAt);
      const changed = await withinDeadline(store.changedSince(cursor));
      cursor = changed.cursor;
      syncedAt = Math.max(syncedAt, startedAt);
      for (const holder of changed.holders) {
        const { hash } = holder;
        // A look-up in progress may have read the key before the change.
        if (holderByHash.has(hash) || lookups.has(hash)) learn(holder, readByStatement);
        else absentHashes.delete(hash);
      }
      // Ended keys are deleted after 30 days, or earlier if the user has many. An outage may hide either kind of
      // deletion.
      const mayLackKeys = wasStale ? changed.users : changed.crowded;
      if (mayLackKeys.size > 0) forgetDeleted(changed.holders, mayLackKeys);
      return changed.holders;
    },

    /** `now` is in Unix ms; `pageOrigin` is set for a foreign page. */
    noteUse: use.note,
    /** Writes a bounded number of recorded uses. Returns whether all were written. Throws `database_unavailable`. */
    writeUse: use.write,
    tidy: (): Promise<void> => withinDeadline(store.deleteDeadKeys(clock.now() - DEAD_KEYS_STORED_FOR)),
  };
}

export type KeyCache = ReturnType<typeof createKeyCache>;
