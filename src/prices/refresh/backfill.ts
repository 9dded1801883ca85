import { beginningOf } from '#catalogue/catalogue';
import type { TokenName } from '#catalogue/token';
import { DAY, HOUR, overlap } from '#core/clock';
import { type Fetch, missingOf } from '#prices/latest/latest-cache';
import { isInactive } from '#prices/latest/latest-store';
import { INTERVALS, type Interval, type Window } from '#prices/model/interval';
import { PRIMARY_SOURCE } from '#prices/model/market-sources';
import { isGivenUp } from '#prices/model/missing-samples';
import { firstUnsettled, lastSample } from '#prices/model/series';
import type { LatestFailover } from '#prices/refresh/latest-failover';
import type { WindowFailover } from '#prices/refresh/window-failover';
import { allOutcomes, createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH } from '#upstream/fetch-runner';
import { ageAt, createLastRequested, dueAfter, type Staleness, type Warning } from '#upstream/freshness';
import { type FetchKind, type PlanInput, planFetches, reachOf } from './backfill-plan.ts';
import type { Fetches } from './fetches.ts';
import type { RefreshDeps } from './refresh-deps.ts';
import type { Schedule } from './refresh-schedule.ts';

type Options = {
  fetches: Fetches | undefined;
  latest: LatestFailover;
  windows: WindowFailover;
  schedule: Pick<Schedule, 'current' | 'latestEvery'>;
};

type Requested = `${TokenName}:${Staleness['kind']}`;

const nameOf = (kind: FetchKind, token: TokenName): Fetch => (kind === 'latest' ? kind : `${kind}:${token}`);

type State = RefreshDeps & Options;

const reachAt = ({ fetches, windows }: State, interval: Interval, now: number): number =>
  fetches ? reachOf(fetches.limits, interval, now) : windows.reach(interval);

function planInput(backfill: State, token: TokenName, { interval, span, open }: Window, now: number) {
  const { archive, catalogue, latest, schedule } = backfill;
  const beginning = archive.beginning(token);
  const first = { from: beginning, thru: beginning };
  return {
    now,
    earliest: beginningOf(catalogue.named(token)),
    beginning,
    isBeginningCovered: [...archive.coverage(token, 'day'), ...archive.missing(token, 'day')].some((reported) =>
      overlap(reported, first),
    ),
    missing: archive.missing(token, interval, PRIMARY_SOURCE),
    missingSince: archive.fetchedAt(missingOf(token, interval)),
    // For the primary source, data from another source is a gap.
    coverage: archive.coverage(token, interval, PRIMARY_SOURCE),
    reach: reachAt(backfill, interval, now),
    isSettled: !open && firstUnsettled(archive.series(token, interval).slice(span.from, span.thru)) === undefined,
    newestAt: archive.newest(token)?.at,
    fetchedAt: (kind) => (kind === 'latest' ? now - latest.age(token) : archive.fetchedAt(nameOf(kind, token))),
    schedule: schedule.current(),
  } satisfies Omit<PlanInput, 'tried' | 'hasFailed'>;
}

/** Fills a window with the fallback's data if the primary source failed, or has no data for it. */
async function completed(
  { archive, clock, singleFlight, latest, windows, schedule }: State,
  token: TokenName,
  window: Window,
  tried: readonly FetchKind[],
  outcome: FetchOutcome,
): Promise<FetchOutcome> {
  const isOld = ageAt(archive.newest(token)?.at, clock.now()) > 2 * schedule.latestEvery();
  const endsWithFallback = archive.isFallbackServed() || (isOld && !latest.isFirstSound());
  if (window.open && endsWithFallback) await latest.latest(token);
  const failed = tried.filter((kind) => singleFlight.failure(nameOf(kind, token)) !== undefined);
  if (outcome.failure === undefined && failed.length === 0) {
    const { fetched } = await windows.missing(token, window);
    return { ...outcome, fetched: fetched || outcome.fetched };
  }
  const { fetched } = await windows.window(token, window);
  const isLatestOld = failed.includes('latest') && !archive.isFallbackServed();
  if (isLatestOld || !windows.isComplete(token, window)) return outcome;
  return { fetched: fetched || outcome.fetched, refreshing: false, failure: undefined };
}

/** Fills a window if CoinGecko is not used. Only windows with the latest price wait for the latest price. */
async function fillFromExchanges({ latest, windows }: State, token: TokenName, window: Window): Promise<FetchOutcome> {
  const newest = window.open ? latest.latest(token) : NOTHING_TO_FETCH;
  const outcome = await windows.window(token, window);
  const all = allOutcomes([...(window.withLatest ? [await newest] : []), outcome]);
  return windows.isComplete(token, window) ? { ...all, failure: undefined } : all;
}

/** Fetches the due data that a window needs. Plans again after each fetch. */
async function fill(backfill: State, fetches: Fetches, token: TokenName, window: Window): Promise<FetchOutcome> {
  const { archive, clock, singleFlight, latest, windows } = backfill;
  const hasFallback = archive.sources.length > 1;
  const now = clock.now();
  const runner = createFetchRunner({ singleFlight, clock });
  const tried: FetchKind[] = [];
  for (;;) {
    const hasFailed = runner.outcome.failure !== undefined;
    const [next] = planFetches(window, { ...planInput(backfill, token, window, now), tried, hasFailed });
    if (!next) return hasFallback ? completed(backfill, token, window, tried, runner.outcome) : runner.outcome;
    const { kind, span, wait } = next;
    const name = nameOf(kind, token);
    // If it is covered, another source's data is served until the primary source recovers.
    const isServedMeanwhile =
      singleFlight.failure(name) !== undefined && hasFallback && windows.isComplete(token, window);
    const until = wait === 'end' && isServedMeanwhile ? 'moment' : wait;
    const reached = reachAt(backfill, window.interval, now);
    const fetch = () => (kind === 'latest' ? latest.fetchFirst() : fetches[kind](token, span));
    const isMade = await runner.run(name, until, fetch);
    if (reachAt(backfill, window.interval, now) > reached) {
      // CoinGecko's plan has less history than assumed, so the fetches are planned again without a pause.
      singleFlight.forget(name);
      continue;
    }
    // A joined fetch may have been for other hours, so these hours may still be missing.
    if (isMade || kind !== 'hours') tried.push(kind);
  }
}

/** The ages of the data in memory, and the ages at which they are due, in ms. */
function stalenessOf({ archive, clock, latest }: State, idle: (of: Requested) => number): Staleness[] {
  const now = clock.now();
  const every = latest.dueAfter();
  // A latest price is also a minute sample. The first latest price of an hour is also the hour's sample.
  const due = { latest: every, minute: every, hour: Math.max(HOUR, every), day: DAY };
  return archive.loaded().flatMap((token) => {
    const staleness = (kind: keyof typeof due, at: number | undefined): Staleness => ({
      token,
      kind,
      age: Math.max(0, ageAt(at, now)),
      every: due[kind],
      idle: idle(`${token}:${kind}`),
    });
    return [
      staleness('latest', archive.latest(token)?.fetchedAt),
      ...INTERVALS.map((interval) => staleness(interval, lastSample(archive.series(token, interval).all())?.at)),
    ];
  });
}

/** Makes the fetches that `planFetches` plans. Exchanges provide data that these fetches fail to provide. */
export function createBackfill(deps: RefreshDeps, options: Options) {
  const backfill = { ...deps, ...options };
  const { archive, singleFlight, demand, clock, fetches, latest, schedule } = backfill;
  const lastRequested = createLastRequested<Requested>(clock);

  return {
    /** Returns synchronously if the price is not due. */
    latest(token: TokenName): FetchOutcome | Promise<FetchOutcome> {
      lastRequested.mark(`${token}:latest`);
      demand.mark(token);
      return latest.latest(token);
    },

    window(token: TokenName, window: Window): Promise<FetchOutcome> {
      if (window.open) {
        lastRequested.mark(`${token}:${window.interval}`);
        demand.mark(token);
      }
      return fetches ? fill(backfill, fetches, token, window) : fillFromExchanges(backfill, token, window);
    },

    /** Whether the source has not provided the missing samples of a series for a week. */
    isGivenUp: (token: TokenName, interval: Interval): boolean =>
      isGivenUp(
        archive.fetchedAt(missingOf(token, interval)),
        archive.fetchedAt(interval === 'day' ? `daily:${token}` : `hours:${token}`),
      ),

    schedule: schedule.current,
    /** The tokens in memory that CoinGecko lists without a current price. */
    inactive: (): TokenName[] =>
      archive.loaded().filter((token) => {
        const { at: pricedAt = null, fetchedAt = null } = archive.latest(token) ?? {};
        return isInactive({ pricedAt, respondedAt: fetchedAt ?? latest.respondedAt(token) ?? null });
      }),
    staleness: () => stalenessOf(backfill, lastRequested.since),
    latestEvery: latest.dueAfter,
    dueAt: (fetchedAt: number): number => dueAfter(fetchedAt, latest.dueAfter(), clock.now()),
    warnings: (): Warning[] => [...singleFlight.warnings(), ...latest.warnings()],
    idle: singleFlight.idle,
    /** The first instant within both the retention period and the history of the plan or the exchanges. */
    reach: (interval: Interval): number => reachAt(backfill, interval, clock.now()),
  };
}

export type Backfill = ReturnType<typeof createBackfill>;
