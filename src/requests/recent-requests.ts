import { LRUCache } from 'lru-cache';
import type { ListedRequest } from '#server/gate';
import {
  capacityOf,
  createRing,
  isRoundComplete,
  newestIn,
  oldestIn,
  REQUEST_BYTES,
  type Ring,
  requestsIn,
  resize,
  write,
} from './request-ring.ts';

/** The bounds of a process. `text` is the maximum length of a path and of a detail, in characters. */
export const BOUNDS = { requests: 100, users: 5_000, bytes: 16 * 1024 * 1024, text: 300 } as const;
/** The first capacity of a ring. It is doubled when the ring is full. */
const FIRST = 4;
/** The share of the memory up to which rings can grow. The paths of their requests need the rest. */
const GROWTH = 0.9;
/** The memory of a user without requests, in bytes: measured, and rounded up. */
const USER_BYTES = 1_100;

type Bounds = Readonly<Record<'requests' | 'users' | 'bytes', number>>;

type User = { ring: Ring; bytes: number };

/**
 * Whether a user gives up requests so that another user's ring can grow: if all its requests are older than the
 * requests in that ring, or if it has more requests than the larger ring would hold. Users with equally many requests
 * therefore do not take requests from each other.
 */
const makesRoom = (silent: Ring, full: Ring, capacity: number): boolean =>
  newestIn(silent) < oldestIn(full) || capacityOf(silent) > capacity;

/**
 * Keeps the last requests of each user in memory. Above the bound in bytes, users lose the older half of their requests
 * one after another, beginning with the user whose last request is the oldest.
 */
export function createRecentRequests({ users, bytes, requests: most }: Bounds = BOUNDS) {
  let total = 0;
  const recentUsers = new LRUCache<number, User>({
    max: users,
    dispose: (user) => {
      total -= user.bytes;
    },
  });

  function open(id: number): User {
    const capacity = Math.min(FIRST, most);
    const user = { ring: createRing(capacity), bytes: 0 };
    recentUsers.set(id, user);
    add(user, USER_BYTES + capacity * REQUEST_BYTES);
    return user;
  }

  function add(user: User, more: number): void {
    user.bytes += more;
    total += more;
  }

  /** The user whose last request is the oldest. */
  function leastRecent(): [number, User] {
    const { value } = recentUsers.rentries().next();
    return value as [number, User];
  }

  /** Doubles a full ring if there is room, or if another user should make room. */
  function grow(user: User): void {
    const now = capacityOf(user.ring);
    const capacity = Math.min(most, 2 * now);
    const isRoom = total + (capacity - now) * REQUEST_BYTES <= GROWTH * bytes;
    if (isRoom || makesRoom(leastRecent()[1].ring, user.ring, capacity)) add(user, resize(user.ring, capacity));
  }

  function shrinkLeastRecent(): void {
    const [id, user] = leastRecent();
    const capacity = Math.floor(capacityOf(user.ring) / 2);
    if (capacity < FIRST) {
      recentUsers.delete(id);
      return;
    }
    add(user, resize(user.ring, capacity));
    // Moves the user to the end of the order, so that another user loses requests next.
    recentUsers.get(id);
  }

  return {
    /** Called for every response. */
    note(id: number, request: ListedRequest): void {
      const user = recentUsers.get(id) ?? open(id);
      if (isRoundComplete(user.ring) && capacityOf(user.ring) < most) grow(user);
      add(user, write(user.ring, request));
      while (total > bytes) shrinkLeastRecent();
    },

    /** Returns the requests of a user, newest first. */
    of(id: number): ListedRequest[] {
      const user = recentUsers.peek(id);
      return user === undefined ? [] : requestsIn(user.ring).reverse();
    },

    /** An upper bound of the memory in bytes. */
    bytes: (): number => total,

    forget: (id: number): boolean => recentUsers.delete(id),
    clear: (): void => recentUsers.clear(),
  };
}

export type RecentRequests = ReturnType<typeof createRecentRequests>;
