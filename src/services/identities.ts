import { LRUCache } from 'lru-cache';
import { hashApiKey, isApiKey } from '../domain/api-key.ts';
import { type Clock, MINUTE, SECOND } from '../domain/clock.ts';
import { Problem } from '../problems.ts';
import type { KeyHolder, UserStore } from '../stores/users.ts';
import { unknownKey } from './key-problems.ts';

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

type Lookup = { hash: string; resolve: (found: boolean) => void; reject: (error: unknown) => void };

/**
 * Who presents which key, remembered so that a call costs no look-up. One look-up statement is under way at a
 * time, however many unknown keys arrive, so that they cannot crowd out the calls of the known.
 */
export function createIdentities({ store, clock }: { store: UserStore; clock: Clock }) {
  const holders = new LRUCache<string, KeyHolder>({ max: KNOWN_KEYS });
  const hashes = new LRUCache<string, string>({ max: KNOWN_KEYS });
  const unknown = new LRUCache<string, number>({ max: UNKNOWN_KEYS });
  const waiting: Lookup[] = [];
  let looking = false;
  let asOf: string | undefined;
  let syncedAt = clock.elapsed();

  async function look(): Promise<void> {
    looking = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, LOOKUP_BATCH);
      try {
        const found = new Map(
          (await store.findByHashes(batch.map(({ hash }) => hash))).map((one) => [one.hash, one]),
        );
        for (const { hash, resolve } of batch) {
          const holder = found.get(hash);
          if (holder) holders.set(hash, holder);
          else unknown.set(hash, clock.elapsed() + UNKNOWN_FOR);
          resolve(holder !== undefined);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    looking = false;
  }

  function lookUp(hash: string): Promise<boolean> {
    if (waiting.length >= LOOKUPS_WAITING) {
      throw new Problem('overloaded', 'Too many keys are being looked up.', { retryAfter: 1 });
    }
    return new Promise((resolve, reject) => {
      waiting.push({ hash, resolve, reject });
      if (!looking) void look();
    });
  }

  async function find(apiKey: string): Promise<KeyHolder> {
    if (!isApiKey(apiKey)) throw unknownKey();
    const hash = hashApiKey(apiKey);
    const isUnknown = () => (unknown.get(hash) ?? 0) > clock.elapsed();
    if (!holders.has(hash) && !isUnknown()) await lookUp(hash);
    const holder = holders.get(hash);
    if (!holder) throw unknownKey();
    hashes.set(apiKey, hash);
    return holder;
  }

  return {
    /** Whose a key is: at once when it is known, else after a look-up. Throws `api_key_invalid`. */
    holderOf(apiKey: string): KeyHolder | Promise<KeyHolder> {
      const hash = hashes.get(apiKey);
      const holder = hash === undefined ? undefined : holders.get(hash);
      if (!holder) return find(apiKey);
      if (clock.elapsed() - syncedAt <= TRUSTED_FOR) return holder;
      const detail = 'The database cannot be reached, and whether this key still holds is not known.';
      throw new Problem('database_unavailable', detail, { retryAfter: 2 });
    },

    /** Takes over what changed: on this process at once when called after the change, on others with their tick. */
    async sync(): Promise<readonly KeyHolder[]> {
      const changed = await store.changedSince(asOf);
      asOf = changed.asOf;
      syncedAt = clock.elapsed();
      for (const holder of changed.holders) {
        if (holders.has(holder.hash)) holders.set(holder.hash, holder);
        unknown.delete(holder.hash);
      }
      return changed.holders;
    },
  };
}

export type Identities = ReturnType<typeof createIdentities>;
