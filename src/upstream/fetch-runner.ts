import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '#core/clock';
import { isOutOfReach } from './failure.ts';
import type { Wait } from './freshness.ts';
import type { Resource } from './resource.ts';
import type { InFlight, SingleFlight } from './single-flight.ts';

/** How long `moment` is, from when the fetch began; in ms. */
const MOMENT = 1000;

/** What came of the fetches for one answer. */
export type FetchOutcome = {
  /** Something was fetched before this answer. */
  fetched: boolean;
  /** A fetch goes on in the background of this answer. */
  refreshing: boolean;
  /** The first error; that the upstream's plan does not reach so far is none, but a gap. */
  failure: unknown;
};

export const NOTHING_TO_FETCH: FetchOutcome = Object.freeze({
  fetched: false,
  refreshing: false,
  failure: undefined,
});

/** What came of the fetches for all parts of one answer. */
export function allOutcomes(outcomes: readonly FetchOutcome[]): FetchOutcome {
  return {
    fetched: outcomes.some(({ fetched }) => fetched),
    refreshing: outcomes.some(({ refreshing }) => refreshing),
    failure: outcomes.find(({ failure }) => failure !== undefined)?.failure,
  };
}

type AwaitedFetch = 'fetched' | 'refreshing' | { error: unknown };
type Dependencies<What extends Resource> = { singleFlight: SingleFlight<What>; clock: Clock };

/** Runs the fetches for one answer; `outcome` adds up what came of them. */
export function createFetchRunner<What extends Resource>({ singleFlight, clock }: Dependencies<What>) {
  const outcome: FetchOutcome = { fetched: false, refreshing: false, failure: undefined };

  async function awaitFetch({ done, startedAt }: InFlight, until: Wait): Promise<AwaitedFetch> {
    const left = until === 'moment' ? startedAt + MOMENT - clock.elapsed() : 0;
    if (until !== 'end' && left <= 0) return 'refreshing';
    const end = done.then(
      () => 'fetched' as const,
      (error: unknown) => ({ error }),
    );
    if (until === 'end') return end;
    const over = new AbortController();
    const late = wait(left, 'refreshing' as const, { signal: over.signal }).catch(
      () => 'refreshing' as const,
    );
    return Promise.race([end, late]).finally(() => over.abort());
  }

  return {
    outcome,

    /**
     * Fetches a thing, or joins the fetch of that name that is in flight. True when this very call was made: the one
     * in flight may have been for something else.
     */
    async run(what: What, until: Wait, fetch: () => Promise<void>): Promise<boolean> {
      let isMade = false;
      const inFlight = singleFlight.start(what, () => {
        isMade = true;
        return fetch();
      });
      const result = inFlight ? await awaitFetch(inFlight, until) : { error: singleFlight.failure(what) };
      if (typeof result === 'string') outcome[result] = true;
      else if (!isOutOfReach(result.error)) outcome.failure ??= result.error;
      return isMade;
    },
  };
}
