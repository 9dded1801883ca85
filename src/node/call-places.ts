import { Problem } from '#core/problems';

/** The maximum number of a user's concurrent calls of any kind. */
const MAX_CONCURRENT_CALLS = 4;
/** The maximum number of a user's calls that wait for a place: the elements of four batches. */
const MAX_WAITING_CALLS = 80;

const overloaded = (detail: string) => new Problem('overloaded', detail, { retryAfter: 1 });

/** Calls rarely wait, so the set is created for the first one that does. */
type Places = { taken: number; waiting?: Set<() => void> };

/** Limits each user's concurrent calls. Users without calls use no memory. */
export function createCallPlaces() {
  const users = new Map<number, Places>();

  function placesOf(user: number): Places {
    const known = users.get(user);
    if (known) return known;
    const places: Places = { taken: 0 };
    users.set(user, places);
    return places;
  }

  /** Passes the place to the call that has waited longest. */
  function leave(user: number): void {
    const places = placesOf(user);
    const [next] = places.waiting ?? [];
    if (next) {
      places.waiting?.delete(next);
      next();
      return;
    }
    places.taken -= 1;
    if (places.taken === 0) users.delete(user);
  }

  return {
    /** Takes a place until the returned function is called. Throws `overloaded`. */
    begin(user: number): () => void {
      const places = placesOf(user);
      if (places.taken >= MAX_CONCURRENT_CALLS) {
        throw overloaded(
          `You already have ${MAX_CONCURRENT_CALLS} concurrent calls, which is the maximum. Wait until one of these calls has completed.`,
        );
      }
      places.taken += 1;
      return () => leave(user);
    },

    /** Like `begin`, but waits for a place. Throws `overloaded` if too many calls wait, or the reason of the signal. */
    async wait(user: number, signal: AbortSignal): Promise<() => void> {
      const places = placesOf(user);
      if (places.taken < MAX_CONCURRENT_CALLS) return this.begin(user);
      places.waiting ??= new Set();
      const { waiting } = places;
      if (waiting.size >= MAX_WAITING_CALLS) {
        throw overloaded(
          `You already have ${MAX_WAITING_CALLS} waiting calls, which is the maximum. Send fewer batches at once.`,
        );
      }
      await new Promise<void>((resolve, reject) => {
        const abort = () => {
          waiting.delete(enter);
          reject(signal.reason);
        };
        const enter = () => {
          signal.removeEventListener('abort', abort);
          resolve();
        };
        signal.throwIfAborted();
        signal.addEventListener('abort', abort, { once: true });
        waiting.add(enter);
      });
      return () => leave(user);
    },
  };
}

export type CallPlaces = ReturnType<typeof createCallPlaces>;
