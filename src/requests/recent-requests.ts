import { LRUCache } from 'lru-cache';
import { type Clock, HOUR } from '#core/clock';
import type { ListedRequest } from '#server/gate';

/**
 * Maximum numbers of failed and of successful requests, per user (`requests`) and of all users (`ofAll`), and of
 * characters in a text.
 */
export const BOUNDS = { requests: 100, ofAll: 20_000, text: 300 } as const;
/** How long successful requests are recorded after the log was read, in ms. */
const RECORDED_FOR = HOUR;

/** The requests of one user in one process. `recordingSince` is in Unix ms. */
export type ProcessLog = { recordingSince: number | null; requests: readonly ListedRequest[] };
type Requests = readonly ListedRequest[];
type Recording = { since: number; until: number; requests: Requests };

/** A failed call of a tool has a code, although its status is 200. */
export const isFailed = ({ status, code }: Pick<ListedRequest, 'status' | 'code'>): boolean =>
  status >= 400 || code !== undefined;

/**
 * Keeps the last failed requests of each user in memory, and the last successful ones while the user reads the log.
 * Above the bound for all users, the users whose latest request is oldest lose their requests.
 */
export function createRecentRequests(clock: Pick<Clock, 'now'>, { requests: most, ofAll }: Bounds = BOUNDS) {
  // The caches are bounded by `maxSize`, because a cache with `max` allocates the memory for all entries at once.
  const failedByUser = new LRUCache<number, Requests>({ maxSize: ofAll, sizeCalculation: ({ length }) => length });
  const recordings = new LRUCache<number, Recording>({
    maxSize: ofAll,
    sizeCalculation: ({ requests }) => requests.length + 1,
  });
  const append = (requests: Requests, next: ListedRequest): Requests => [...requests, next].slice(-most);

  function recordingOf(user: number, now: number): Recording | undefined {
    const recording = recordings.get(user);
    if (recording === undefined || now < recording.until) return recording;
    recordings.delete(user);
    return undefined;
  }

  return {
    /** Whether a request is added. Called for every response. */
    isRecorded: (user: number, request: Pick<ListedRequest, 'at' | 'status' | 'code'>): boolean =>
      isFailed(request) || recordingOf(user, request.at) !== undefined,

    add(user: number, request: ListedRequest): void {
      if (isFailed(request)) {
        failedByUser.set(user, append(failedByUser.get(user) ?? [], request));
        return;
      }
      const recording = recordingOf(user, request.at);
      if (recording) recordings.set(user, { ...recording, requests: append(recording.requests, request) });
    },

    /** Returns the requests of a user, and records the user's successful requests from now on. */
    read(user: number): ProcessLog {
      const now = clock.now();
      const { since, requests = [] } = recordingOf(user, now) ?? {};
      recordings.set(user, { since: since ?? now, until: now + RECORDED_FOR, requests });
      return { recordingSince: since ?? null, requests: [...(failedByUser.get(user) ?? []), ...requests] };
    },

    forget(user: number): void {
      failedByUser.delete(user);
      recordings.delete(user);
    },
    clear(): void {
      failedByUser.clear();
      recordings.clear();
    },
  };
}

type Bounds = Readonly<Record<'requests' | 'ofAll', number>>;
export type RecentRequests = ReturnType<typeof createRecentRequests>;
