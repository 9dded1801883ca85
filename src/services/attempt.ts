import { setTimeout as wait } from 'node:timers/promises';
import type { Refreshing } from './refreshing.ts';

/** How long a caller waits for what is more than twice as old as it should be, before the old is served; in ms. */
const PATIENCE = 1000;

/** What came of an attempt to have a window complete and fresh. */
export type Filled = {
  /** Something was fetched before this answer. */
  fetched: boolean;
  /** Something is being fetched behind this answer. */
  refreshing: boolean;
  /** What stood in the way. */
  failure: unknown;
};

/** There was nothing to do. */
export const FRESH: Filled = Object.freeze({ fetched: false, refreshing: false, failure: undefined });

export const isFresh = ({ fetched, refreshing, failure }: Filled): boolean =>
  !fetched && !refreshing && failure === undefined;

type Parts<What extends string> = {
  refreshing: Refreshing<What>;
  /** How long ago a thing was fetched, in ms. */
  ageOf: (what: What) => number;
};

/** One request's attempt to have what it needs: each step adds to what came of it. */
export function createAttempt<What extends string>({ refreshing, ageOf }: Parts<What>) {
  const filled: Filled = { fetched: false, refreshing: false, failure: undefined };

  /** Tells whether this call was made: the one that was under way may have been another one of that name. */
  async function arrival(what: What, fetch: () => Promise<void>): Promise<boolean> {
    let isMade = false;
    const flight = refreshing.start(what, () => {
      isMade = true;
      return fetch();
    });
    if (!flight) filled.failure ??= refreshing.failure(what);
    else {
      try {
        await flight.done;
        filled.fetched = true;
      } catch (error) {
        filled.failure ??= error;
      }
    }
    return isMade;
  }

  async function refresh(what: What, every: number, fetch: () => Promise<void>): Promise<void> {
    const flight = refreshing.start(what, fetch);
    if (!flight) {
      filled.failure ??= refreshing.failure(what);
      return;
    }
    const patience = flight.startedAt + PATIENCE - performance.now();
    if (ageOf(what) <= 2 * every || patience <= 0) {
      filled.refreshing = true;
      return;
    }
    const over = new AbortController();
    const outcome = await Promise.race([
      flight.done.then(
        () => 'fetched' as const,
        (error: unknown) => ({ error }),
      ),
      wait(patience, 'refreshing' as const, { signal: over.signal }).catch(() => 'refreshing' as const),
    ]);
    over.abort();
    if (typeof outcome === 'object') filled.failure ??= outcome.error;
    else filled[outcome] = true;
  }

  return { filled, arrival, refresh };
}

export type Attempt<What extends string> = ReturnType<typeof createAttempt<What>>;
