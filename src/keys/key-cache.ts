import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { type Clock, MINUTE, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import { isErased } from '#users/user';
import { hashApiKey, isApiKey } from './api-key.ts';
import type { KeyHolderStore, UserCursor } from './key-holder-store.ts';
import { createKeyLookups } from './key-lookups.ts';
import { recordKeyUses, UNUSED, type Use } from './key-use.ts';
import { endOf, hasEnded, type KeyHolder, unknownKey } from './key-validity.ts';

/** Maximum numbers of cached keys: existing keys, and well-formed keys that do not exist. */
const KNOWN_KEYS = 100_000;
const UNKNOWN_KEYS = 20_000;
const UNKNOWN_FOR = MINUTE;
/** How long cached keys are accepted while the database does not respond, in ms. */
const TRUSTED_FOR = 18 * SECOND;
/** Maximum number of ended keys that are checked again after the database has lost changes. */
const MAX_REVIVED = 500;

export type Caller = KeyHolder & Use;
/** A holder that was removed from the cache is no longer updated and must not be used. */
type Known = { holder: Caller; readByStatement: number; isForgotten: boolean };
/** `changedAt` is the time of the newest lost change, by the database's clock. `keys` are valid again. */
type Rewind = { changedAt: string | undefined; keys: { user: number; id: number }[] };
type Dependencies = {
  store: KeyHolderStore;
  clock: Clock;
  knownKeys?: number;
  /** Called when the database has lost changes that this process had read. */
  onRewind?: (rewind: Rewind) => void;
  /** Called at least once after a user was erased. */
  onErased?: (userKey: number) => void;
};

/**
 * If there are more than `most` entries, evicts the oldest, even if it is in use: tracking each use would cost more.
 */
function evictOldest(entries: Map<string, Known>, most: number): Known | undefined {
  if (entries.size <= most) return undefined;
  for (const [key, oldest] of entries) {
    entries.delete(key);
    return oldest;
  }
  return undefined;
}

function newCache({ knownKeys = KNOWN_KEYS, ...dependencies }: Dependencies) {
  const { clock } = dependencies;
  const cache = {
    ...dependencies,
    knownKeys,
    holderByHash: new Map<string, Known>(),
    /** Indexed by the key's text, so that a call does not hash its key. */
    holderByText: new Map<string, Known>(),
    absentHashes: new LRUCache<string, true>({
      // The cache is bounded by `maxSize`, because a cache with `max` allocates the memory for all entries at once.
      maxSize: UNKNOWN_KEYS,
      sizeCalculation: () => 1,
      ttl: UNKNOWN_FOR,
      ttlResolution: 0,
      perf: { now: clock.elapsed },
    }),
    lookups: createKeyLookups(async (hashes) => {
      await read(cache, hashes);
    }),
    /** The number of the last statement that has read keys. */
    statements: 0,
    syncedAt: clock.elapsed(),
  };
  return cache;
}
type Cache = ReturnType<typeof newCache> & { cursor?: UserCursor };

/** Caches a holder, unless a later statement has already read this key. */
function learn({ holderByHash, absentHashes, knownKeys }: Cache, read: KeyHolder, readByStatement: number): void {
  const before = holderByHash.get(read.hash);
  if (before && before.readByStatement > readByStatement) return;
  absentHashes.delete(read.hash);
  const { usedMinute, pageOrigin, exposedAt } = before?.holder ?? UNUSED;
  const holder = { ...read, usedMinute, pageOrigin, exposedAt };
  if (!before) {
    holderByHash.set(holder.hash, { holder, readByStatement, isForgotten: false });
    const evicted = evictOldest(holderByHash, knownKeys);
    if (evicted) evicted.isForgotten = true;
    return;
  }
  before.readByStatement = readByStatement;
  // Other modules compare holders by identity, so the object is replaced only if a member changes.
  if (!isDeepStrictEqual(before.holder, holder)) before.holder = holder;
}

async function read(cache: Cache, hashes: readonly string[]): Promise<void> {
  const { store, holderByHash, absentHashes } = cache;
  const readByStatement = ++cache.statements;
  for (const holder of await withinDeadline(store.findByHashes(hashes))) learn(cache, holder, readByStatement);
  for (const hash of hashes) if (!holderByHash.has(hash)) absentHashes.set(hash, true);
}

async function find(cache: Cache, apiKey: string): Promise<Caller> {
  if (!isApiKey(apiKey)) throw unknownKey();
  const found = await findByHash(cache, hashApiKey(apiKey));
  cache.holderByText.set(apiKey, found);
  evictOldest(cache.holderByText, cache.knownKeys);
  return found.holder;
}

async function findByHash(cache: Cache, hash: string): Promise<Known> {
  const { holderByHash, absentHashes, lookups } = cache;
  if (holderByHash.has(hash)) {
    refuseStale(cache);
  } else {
    if (absentHashes.has(hash)) throw unknownKey();
    await lookups.lookUp(hash);
  }
  const found = holderByHash.get(hash);
  if (!found) throw unknownKey();
  return found;
}

function forgetDeleted({ holderByHash }: Cache, read: readonly KeyHolder[], users: ReadonlySet<number>): void {
  const hashes = new Set(read.map(({ hash }) => hash));
  for (const [hash, known] of holderByHash) {
    if (!users.has(known.holder.user.key) || hashes.has(hash)) continue;
    holderByHash.delete(hash);
    known.isForgotten = true;
  }
}

/** Looks up every cached key again, because another user may now have a lost user's record number. */
async function startOver({ store, holderByHash, absentHashes, cursor, onRewind }: Cache): Promise<void> {
  const ended = [...holderByHash].filter(([, { holder }]) => hasEnded(holder)).map(([hash]) => hash);
  const read = await withinDeadline(store.findByHashes(ended.slice(0, MAX_REVIVED)));
  for (const cachedKey of holderByHash.values()) cachedKey.isForgotten = true;
  holderByHash.clear();
  absentHashes.clear();
  const keys = read.filter((holder) => !hasEnded(holder)).map(({ user, id }) => ({ user: user.key, id }));
  onRewind?.({ changedAt: cursor?.newest?.changedAt, keys });
}

const isStale = ({ syncedAt }: Cache, elapsed: number): boolean => elapsed - syncedAt > TRUSTED_FOR;

function refuseStale(cache: Cache): void {
  if (!isStale(cache, cache.clock.elapsed())) return;
  const detail = 'The key cannot be checked because the database is not responding.';
  throw new Problem('database_unavailable', detail, { retryAfter: 2 });
}

async function sync(cache: Cache): Promise<readonly KeyHolder[]> {
  const { store, clock, holderByHash, absentHashes, lookups, onErased } = cache;
  const startedAt = clock.elapsed();
  const wasStale = isStale(cache, startedAt);
  let readByStatement = 0;
  // A look-up that started before the changes were listed may have read a changed key as it was before.
  const listed = () => {
    readByStatement = ++cache.statements;
  };
  const changed = await withinDeadline(store.changedSince(cache.cursor, listed));
  if (changed.isRewound) await startOver(cache);
  cache.cursor = changed.cursor;
  cache.syncedAt = Math.max(cache.syncedAt, startedAt);
  for (const holder of changed.holders) {
    const { hash, user } = holder;
    if (isErased(user)) onErased?.(user.key);
    // A look-up in progress may have read the key before the change.
    if (holderByHash.has(hash) || lookups.has(hash)) learn(cache, holder, readByStatement);
    else absentHashes.delete(hash);
  }
  // A process may miss the deletion of ended keys: during a long outage, or if the user has many of them.
  const mayLackKeys = wasStale ? changed.users : changed.crowded;
  if (mayLackKeys.size > 0) forgetDeleted(cache, changed.holders, mayLackKeys);
  return changed.holders;
}

export function createKeyCache(dependencies: Dependencies) {
  const cache: Cache = newCache(dependencies);
  const { store, clock, holderByHash, holderByText } = cache;
  /** Holders whose latest use has not been written. */
  const used = new Set<Caller>();

  /** Whether a request counts as a use of its key. With an ended key, it counts only if the user's term has ended. */
  const counts = (holder: Caller): boolean => endOf(holder, clock.now(), { allowExpired: true }) === undefined;

  function holderAtOnce(apiKey: string, elapsed: number): Caller | undefined {
    const found = holderByText.get(apiKey);
    return found === undefined || found.isForgotten || isStale(cache, elapsed) ? undefined : found.holder;
  }

  return {
    holderAtOnce,
    /** Returns a cached holder immediately, or a promise for a look-up. Throws `api_key_invalid`. */
    holderOf: (apiKey: string): Caller | Promise<Caller> =>
      holderAtOnce(apiKey, clock.elapsed()) ?? find(cache, apiKey),

    /** Returns the current state of a key that a request or a ticket has named. Throws `api_key_invalid`. */
    holderOfHash(hash: string): Caller | Promise<Caller> {
      const found = holderByHash.get(hash);
      if (found !== undefined && !isStale(cache, clock.elapsed())) return found.holder;
      return findByHash(cache, hash).then(({ holder }) => holder);
    },

    sync: () => sync(cache),

    /** Precise to the minute, so that most calls only compare two numbers. `pageOrigin` is set for foreign pages. */
    noteUse(holder: Caller, now: number, pageOrigin?: string): void {
      const minute = Math.floor(now / MINUTE);
      if (holder.usedMinute === minute && (pageOrigin === undefined || pageOrigin === holder.pageOrigin)) return;
      holder.usedMinute = minute;
      holder.pageOrigin = pageOrigin ?? holder.pageOrigin;
      used.add(holder);
    },

    /** Records that a key that is not for URLs was in a URL. */
    noteExposure(holder: Caller, now: number): void {
      if (holder.exposedAt !== undefined) return;
      holder.exposedAt = now;
      used.add(holder);
    },

    /** Writes a bounded number of recorded uses. Returns whether all were written. Throws `database_unavailable`. */
    writeUse: (): Promise<boolean> => recordKeyUses(used, store, counts),
  };
}

export type KeyCache = ReturnType<typeof createKeyCache>;
