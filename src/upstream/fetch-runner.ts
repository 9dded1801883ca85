import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '#core/clock';
import { isOutOfReach } from './failures/failure.ts';
import type { Wait } from './freshness.ts';
import type { Resource } from './resource.ts';
import type { InFlight, SingleFlight } from './single-flight.ts';

/** The length of a `moment`, counted from the start of the fetch, in ms. */
const MOMENT = 1000;

export type FetchOutcome = {
  fetched: boolean;
  refreshing: boolean;
  /** The first error. Data that is older than the upstream's plan includes is a gap, not an error. */
  failure: unknown;
};

export const NOTHING_TO_FETCH: FetchOutcome = Object.freeze({ fetched: false, refreshing: false, failure: undefined });

export function allOutcomes(outcomes: readonly FetchOutcome[]): FetchOutcome {
  return {
    fetched: outcomes.some(({ fetched }) => fetched),
    refreshing: outcomes.some(({ refreshing }) => refreshing),
    failure: outcomes.find(({ failure }) => failure !== undefined)?.failure,
  };
}

type AwaitedFetch = 'fetched' | 'refreshing' | { error: unknown };
type Dependencies<What extends Resource> = { singleFlight: SingleFlight<What>; clock: Clock };

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
    const late = wait(left, 'refreshing' as const, { signal: over.signal }).catch(() => 'refreshing' as const);
    return Promise.race([end, late]).finally(() => over.abort());
  }

  return {
    outcome,

    /** Fetches a resource. Returns false if it joined a fetch in flight, which may be for other data. */
    async run(resource: What, until: Wait, fetch: () => Promise<void>): Promise<boolean> {
      let isMade = false;
      const inFlight = singleFlight.start(resource, () => {
        isMade = true;
        return fetch();
      });
      const result = inFlight ? await awaitFetch(inFlight, until) : { error: singleFlight.failure(resource) };
      if (typeof result === 'string') outcome[result] = true;
      else if (!isOutOfReach(result.error)) outcome.failure ??= result.error;
      return isMade;
    },
  };
}

export type FetchRunner<What extends Resource> = ReturnType<typeof createFetchRunner<What>>;
