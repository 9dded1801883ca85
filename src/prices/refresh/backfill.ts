import { beginningOf, type Catalogue } from '#catalogue/catalogue';
import type { TokenName } from '#catalogue/token';
import { type Clock, overlap, type Span } from '#core/clock';
import type { ArchiveCache, Fetch } from '#prices/archive/archive-cache';
import type { Interval, Window } from '#prices/model/interval';
import { firstUnsettled } from '#prices/model/series';
import { FALLBACK_EVERY, type LatestFailover } from '#prices/refresh/latest-failover';
import type { WindowFailover } from '#prices/refresh/window-failover';
import { createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH, type SingleFlight } from '#upstream/fetch-runner';
import { ageAt, createLastRequested, dueAfter, type Staleness, type Warning, waitOnRefresh } from '#upstream/freshness';
import { type FetchKind, type PlanInput, planFetches, reachOf } from './backfill-plan.ts';
import type { Demand } from './demand.ts';
import type { Fetches } from './fetches.ts';
import type { Schedule } from './refresh-schedule.ts';

type Dependencies = {
  fetches: Fetches;
  failover: (LatestFailover & WindowFailover) | undefined;
  archive: ArchiveCache;
  catalogue: Pick<Catalogue, 'named'>;
  singleFlight: SingleFlight<Fetch>;
  demand: Demand;
  schedule: Schedule;
  clock: Clock;
};

const nameOf = (kind: FetchKind, token: TokenName): Fetch => (kind === 'latest' ? kind : `${kind}:${token}`);

/** Makes the fetches that `planFetches` plans. The fallback provides data that these fetches fail to provide. */
export function createBackfill(dependencies: Dependencies) {
  const { fetches, failover, archive, catalogue, singleFlight, demand, schedule, clock } = dependencies;
  const { isFallbackServed } = archive;
  const lastRequested = createLastRequested<`${TokenName}:${Staleness['kind']}`>(clock);
  /** When this process last requested a token's latest price (Unix ms), even if the response did not contain it. */
  const requestedAt = new Map<TokenName, number>();

  async function fetchLatest(): Promise<void> {
    const tokens = await demand.tokens();
    try {
      await fetches.latest(tokens);
    } catch (error) {
      await failover?.primaryFailed();
      throw error;
    }
    for (const token of tokens) requestedAt.set(token, clock.now());
    await failover?.primaryAnswered();
  }

  /**
   * The age of a token's latest price, in ms. A newly requested token is due immediately if no price is stored.
   * Otherwise, it is due early only if the budget has spare calls.
   */
  function latestAge(token: TokenName): number {
    const now = clock.now();
    const ofAll = ageAt(archive.fetchedAt('latest'), now);
    const reported = archive.latestOf(token, fetches.source)?.fetchedAt;
    const own = Math.min(ageAt(reported, now), ageAt(requestedAt.get(token), now));
    return Number.isFinite(own) && ofAll < schedule.current().early ? ofAll : own;
  }

  const latestEvery = (): number => (isFallbackServed() ? FALLBACK_EVERY : schedule.current().latest);

  const reach = (interval: Interval, now: number): number => reachOf(fetches.limits, interval, now);

  const fetchOf = (kind: FetchKind, token: TokenName, span: Span) => () =>
    kind === 'latest' ? fetchLatest() : fetches[kind](token, span);

  function planInput(token: TokenName, { interval, span, open }: Window, now: number) {
    const beginning = archive.beginning(token);
    const first = { from: beginning, thru: beginning };
    return {
      now,
      earliest: beginningOf(catalogue.named(token)),
      beginning,
      isBeginningCovered: archive.coverage(token, 'day').some((covered) => overlap(covered, first)),
      // For the primary source, data from another source is a gap.
      coverage: archive.coverage(token, interval, fetches.source),
      reach: reach(interval, now),
      isSettled: !open && firstUnsettled(archive.series(token, interval).slice(span.from, span.thru)) === undefined,
      newestAt: archive.newest(token)?.at,
      fetchedAt: (kind) => (kind === 'latest' ? now - latestAge(token) : archive.fetchedAt(nameOf(kind, token))),
      schedule: schedule.current(),
    } satisfies Omit<PlanInput, 'tried' | 'hasFailed'>;
  }

  /** While the fallback is active, the primary source keeps its schedule, and no response waits for it. */
  function latestOfFallback(token: TokenName, { isFresh, latest }: LatestFailover, isDue: boolean) {
    if (isDue) singleFlight.start('latest', fetchLatest);
    return isFresh(token) ? NOTHING_TO_FETCH : latest(token);
  }

  async function latestOfPrimary(token: TokenName, age: number, every: number): Promise<FetchOutcome> {
    const runner = createFetchRunner({ singleFlight, clock });
    const until = archive.latest(token) ? waitOnRefresh(age, every) : 'end';
    if (age >= every) {
      const isMade = await runner.run('latest', until, fetchLatest);
      // The fetch in flight may have started before this token was requested.
      if (!isMade && latestAge(token) >= every) await runner.run('latest', until, fetchLatest);
    }
    const isServed = archive.latest(token) !== undefined;
    return failover === undefined || (isServed && failover.isPrimarySound())
      ? runner.outcome
      : failover.latest(token, runner.outcome);
  }

  /** Fills a window with the fallback's data if the primary source failed to provide its own. */
  async function completed(
    token: TokenName,
    window: Window,
    tried: readonly FetchKind[],
    outcome: FetchOutcome,
  ): Promise<FetchOutcome> {
    if (!failover) return outcome;
    const isOld = ageAt(archive.newest(token)?.at, clock.now()) > 2 * schedule.latestEvery();
    const endsWithFallback = isFallbackServed() || (isOld && !failover.isPrimarySound());
    if (window.open && endsWithFallback) await failover.latest(token);
    const failed = tried.filter((kind) => singleFlight.failure(nameOf(kind, token)) !== undefined);
    if (outcome.failure === undefined && failed.length === 0) return outcome;
    const { fetched } = await failover.window(token, window);
    const isLatestOld = failed.includes('latest') && !isFallbackServed();
    if (isLatestOld || !failover.isComplete(token, window)) return outcome;
    return { fetched: fetched || outcome.fetched, refreshing: false, failure: undefined };
  }

  return {
    /** Returns synchronously if the price is not due. */
    latest(token: TokenName): FetchOutcome | Promise<FetchOutcome> {
      lastRequested.mark(`${token}:latest`);
      demand.mark(token);
      const age = latestAge(token);
      const every = schedule.current().latest;
      if (failover && isFallbackServed()) return latestOfFallback(token, failover, age >= every);
      if (age < every && (failover === undefined || failover.isPrimarySound())) return NOTHING_TO_FETCH;
      return latestOfPrimary(token, age, every);
    },

    /** Fetches the due data that a window needs. Plans again after each fetch. */
    async window(token: TokenName, window: Window): Promise<FetchOutcome> {
      if (window.open) {
        lastRequested.mark(`${token}:${window.interval}`);
        demand.mark(token);
      }
      const now = clock.now();
      const runner = createFetchRunner({ singleFlight, clock });
      const tried: FetchKind[] = [];
      for (;;) {
        const hasFailed = runner.outcome.failure !== undefined;
        const [next] = planFetches(window, { ...planInput(token, window, now), tried, hasFailed });
        if (!next) return completed(token, window, tried, runner.outcome);
        const { kind, span, wait } = next;
        const name = nameOf(kind, token);
        // Another source's data is served until the primary source recovers.
        const isServedMeanwhile = singleFlight.failure(name) !== undefined && failover?.isComplete(token, window);
        const until = wait === 'end' && isServedMeanwhile ? 'moment' : wait;
        const reached = reach(window.interval, now);
        const isMade = await runner.run(name, until, fetchOf(kind, token, span));
        if (reach(window.interval, now) > reached) {
          // CoinGecko's plan has less history than assumed, so another plan is made without a pause.
          singleFlight.forget(name);
          continue;
        }
        // The fetch in flight may have been for other hours, so these hours may still be missing.
        if (isMade || kind !== 'hours') tried.push(kind);
      }
    },

    schedule: schedule.current,
    sinceRequested: (token: TokenName, kind: Staleness['kind']) => lastRequested.since(`${token}:${kind}`),
    latestEvery,
    dueAt: (fetchedAt: number): number => dueAfter(fetchedAt, latestEvery(), clock.now()),
    warnings: (): Warning[] => [...singleFlight.warnings(), ...(failover?.warnings() ?? [])],
    idle: singleFlight.idle,
    /** The first instant within CoinGecko's plan and the retention period. */
    reach: (interval: Interval): number => reach(interval, clock.now()),
  };
}

export type Backfill = ReturnType<typeof createBackfill>;
