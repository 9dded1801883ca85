import type { Clock } from '#domain/clock';
import { type FetchKind, type PlanInput, planFetches } from '#domain/market/backfill-plan';
import type { Interval, Window } from '#domain/market/interval';
import type { RefreshSchedule } from '#domain/market/refresh-schedule';
import { isSettledSlice } from '#domain/market/series';
import { overlap } from '#domain/market/span';
import { beginningOf, type TokenName } from '#domain/market/token';
import { ageAt, dueAfter, waitOnRefresh } from '#domain/upstream/age';
import type { UpstreamBudget } from '#services/upstream/budget';
import { createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH } from '#services/upstream/fetch-outcome';
import { createLastRequested } from '#services/upstream/last-requested';
import type { SingleFlight } from '#services/upstream/single-flight';
import type { ArchiveCache, Fetch } from './archive-cache.ts';
import type { Fetches } from './fetches.ts';

type Dependencies = {
  fetches: Fetches;
  archive: ArchiveCache;
  singleFlight: SingleFlight<Fetch>;
  budget: UpstreamBudget<RefreshSchedule>;
  clock: Clock;
};

const nameOf = (kind: FetchKind, token: TokenName): Fetch => (kind === 'latest' ? kind : `${kind}:${token}`);

/** Fetches what `planFetches` plans for an answer. */
export function createBackfill({ fetches, archive, singleFlight, budget, clock }: Dependencies) {
  const lastRequested = createLastRequested(clock);

  function planInput(token: TokenName, { interval, span, open }: Window, now: number) {
    const beginning = archive.beginning(token);
    const first = { from: beginning, thru: beginning };
    return {
      now,
      earliest: beginningOf(token),
      beginning,
      isBeginningCovered: archive.coverage(token, 'day').some((covered) => overlap(covered, first)),
      // What another source has told is a gap to this one.
      coverage: archive.coverage(token, interval, fetches.source),
      reach: fetches.reach(interval, now),
      isSettled: !open && isSettledSlice(archive.series(token, interval).slice(span.from, span.thru)),
      newestAt: archive.newest(token)?.at,
      fetchedAt: (kind) => archive.fetchedAt(nameOf(kind, token)),
      schedule: budget.schedule(),
    } satisfies Omit<PlanInput, 'tried' | 'hasFailed'>;
  }

  return {
    /** Refreshes the latest price of a token; returns at once when it is not due. */
    latest(token: TokenName): FetchOutcome | Promise<FetchOutcome> {
      lastRequested.mark(token, 'latest');
      const age = ageAt(archive.fetchedAt('latest'), clock.now());
      const every = budget.schedule().latest;
      if (age < every) return NOTHING_TO_FETCH;
      const runner = createFetchRunner({ singleFlight, clock });
      const until = archive.latest(token) ? waitOnRefresh(age, every) : 'end';
      return runner.run('latest', until, fetches.latest).then(() => runner.outcome);
    },

    /** Fetches what a window needs, as far as the schedule allows: plans again after each fetch. */
    async window(token: TokenName, window: Window): Promise<FetchOutcome> {
      if (window.open) lastRequested.mark(token, window.interval);
      const now = clock.now();
      const runner = createFetchRunner({ singleFlight, clock });
      const tried: FetchKind[] = [];
      for (;;) {
        const hasFailed = runner.outcome.failure !== undefined;
        const [next] = planFetches(window, { ...planInput(token, window, now), tried, hasFailed });
        if (!next) return runner.outcome;
        const { kind, span, wait } = next;
        const reach = fetches.reach(window.interval, now);
        const isMade = await runner.run(nameOf(kind, token), wait, () => fetches[kind](token, span));
        if (fetches.reach(window.interval, now) > reach) {
          // The aggregator's plan turned out to reach less far: what it does reach is planned anew, without a pause.
          singleFlight.forget(nameOf(kind, token));
          continue;
        }
        // A fetch of hours that was in flight may have been for other hours: then these are still missing.
        if (isMade || kind !== 'hours') tried.push(kind);
      }
    },

    schedule: budget.schedule,
    sinceRequested: lastRequested.since,

    /** When what was fetched at an instant is due again. */
    dueAt: (fetchedAt: number): number => dueAfter(fetchedAt, budget.schedule().latest, clock.now()),

    warnings: singleFlight.warnings,
    idle: singleFlight.idle,

    /** The first instant that the aggregator's plan reaches, and of which its samples are kept. */
    reach: (interval: Interval): number => fetches.reach(interval, clock.now()),
  };
}

export type Backfill = ReturnType<typeof createBackfill>;
