import { LRUCache } from 'lru-cache';
import type { ListedRequest } from '#server/gate';

/** The bounds of a process. `path` is the maximum length of a path, in characters. */
export const BOUNDS = { requests: 100, users: 5_000, bytes: 16 * 1024 * 1024, path: 300 } as const;
/** The memory of a request without its path, and of a user without requests, in bytes: measured, and rounded up. */
const OVERHEAD = { request: 140, user: 1_100 };

type Bounds = Readonly<Record<'requests' | 'users' | 'bytes', number>>;

type Entry = { -readonly [Name in keyof ListedRequest]: ListedRequest[Name] };

/** The last requests of a user. When it is full, the next request replaces the oldest. */
type Ring = { requests: Entry[]; next: number; bytes: number };

const sizeOf = ({ path }: ListedRequest) => OVERHEAD.request + path.length;

function newestFirst({ requests, next }: Ring): Entry[] {
  return [...requests.slice(next), ...requests.slice(0, next)].reverse();
}

/** The garbage collector copies new objects that stay, so entries are used again. */
function overwrite(entry: Entry, { at, keyId, method, path, status, code, cost, ms }: ListedRequest): void {
  entry.at = at;
  entry.keyId = keyId;
  entry.method = method;
  entry.path = path;
  entry.status = status;
  entry.code = code;
  entry.cost = cost;
  entry.ms = ms;
}

/**
 * Keeps the last requests of each user in memory. Above the bound of bytes, each user in turn loses the older half of the
 * requests, so that all keep some, beginning with the user who sent no request for longest.
 */
export function createRecentRequests({ users, bytes, requests: most }: Bounds = BOUNDS) {
  let total = 0;
  /** Entries that a user has lost, for the next requests of others: at most as many as a user has. */
  const spare: Entry[] = [];
  const rings = new LRUCache<number, Ring>({
    max: users,
    dispose: (ring) => {
      total -= ring.bytes;
    },
  });

  function open(user: number): Ring {
    const ring: Ring = { requests: [], next: 0, bytes: OVERHEAD.user };
    rings.set(user, ring);
    total += ring.bytes;
    return ring;
  }

  function shrinkOldest(): void {
    const [user] = rings.rkeys();
    // `get` moves the user to the other end of the order.
    const ring = rings.get(user as number) as Ring;
    const all = newestFirst(ring);
    const kept = all.slice(0, all.length / 2);
    spare.push(...all.slice(kept.length, kept.length + most - spare.length));
    if (kept.length === 0) {
      rings.delete(user as number);
      return;
    }
    const size = kept.reduce((sum, one) => sum + sizeOf(one), OVERHEAD.user);
    total += size - ring.bytes;
    ring.bytes = size;
    ring.requests = kept.reverse();
    ring.next = kept.length;
  }

  return {
    /** Called for every response. */
    note(user: number, request: ListedRequest): void {
      const ring = rings.get(user) ?? open(user);
      const { requests, next } = ring;
      const oldest = requests[next];
      const more = oldest === undefined ? sizeOf(request) : request.path.length - oldest.path.length;
      const entry = oldest ?? spare.pop();
      if (entry) overwrite(entry, request);
      requests[next] = entry ?? { ...request };
      ring.next = next + 1 === most ? 0 : next + 1;
      ring.bytes += more;
      total += more;
      while (total > bytes) shrinkOldest();
    },

    /** Newest first. Copies, because later requests overwrite the entries. */
    of(user: number): ListedRequest[] {
      const ring = rings.peek(user);
      return ring === undefined ? [] : newestFirst(ring).map((entry) => ({ ...entry }));
    },

    /** An upper bound of the memory in bytes. */
    bytes: (): number => total,

    clear(): void {
      rings.clear();
      spare.length = 0;
    },
  };
}

export type RecentRequests = ReturnType<typeof createRecentRequests>;
