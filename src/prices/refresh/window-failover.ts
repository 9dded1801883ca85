import type { TokenName } from '#catalogue/token';
import { MINUTE, overlap, type Span, subtractSpans, union } from '#core/clock';
import { type Fetch, missingOf } from '#prices/latest/latest-cache';
import { gapsIn, type Interval, intervalStart, spacingOf, type Window } from '#prices/model/interval';
import { keptFrom, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { retryPause } from '#prices/model/missing-samples';
import type { Recorder } from '#prices/refresh/fetches';
import type { OpenedExchange } from '#prices/sources/open-exchange';
import { allOutcomes, createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH } from '#upstream/fetch-runner';
import { ageAt } from '#upstream/freshness';
import type { RefreshDeps } from './refresh-deps.ts';

type WindowSource = Pick<OpenedExchange, 'name' | 'lists' | 'reach' | 'samples'> & { recorder: Recorder };

/** `within` limits the request to spans for which the primary source has returned no samples. */
type Missing = { token: TokenName; interval: Interval; from: number; within: readonly Span[] | undefined };

/** Fills the gaps of a window from the exchanges, in their order. */
export function createWindowFailover(deps: RefreshDeps, exchanges: readonly WindowSource[]) {
  const { archive, singleFlight, retention, clock } = deps;
  const nameOf = (source: MarketSourceName, { token, interval }: Pick<Missing, 'token' | 'interval'>): Fetch =>
    `${source}:${interval}:${token}`;
  /** The instant (Unix ms) from which this process last requested each series. */
  const requestedFrom = new Map<Fetch, number>();

  type Series = Pick<Missing, 'token' | 'interval'>;
  const coverageOf = (sources: readonly MarketSourceName[], { token, interval }: Series): Span[] =>
    union(sources.flatMap((source) => archive.coverage(token, interval, source)));
  const higherThan = (source: MarketSourceName): readonly MarketSourceName[] =>
    archive.sources.slice(0, archive.sources.indexOf(source));

  const gapsFrom = (beginning: number, { interval, span }: Window, coverage: readonly Span[]): Span[] =>
    gapsIn(interval, span, { now: clock.now(), beginning, coverage });

  /** The parts of a window that a source may fill. Data from a lower source counts as a gap. */
  function gapsOf({ name, reach }: WindowSource, token: TokenName, window: Window): Span[] {
    const { interval } = window;
    const now = clock.now();
    // The two oldest samples may be gone or incomplete when the response arrives.
    const first = reach(interval, now) + 2 * spacingOf(interval);
    const beginning = Math.max(archive.beginning(token), first, keptFrom(retention, name, now));
    const lower = archive.sources.slice(archive.sources.indexOf(name) + 1);
    // Data from sources that are turned off is kept.
    const replaceable = coverageOf(lower, { token, interval });
    const coverage = archive.coverage(token, interval).flatMap((span) => subtractSpans(span, replaceable));
    return gapsFrom(beginning, window, coverage);
  }

  async function fetchSamples({ name, samples, recorder }: WindowSource, missing: Missing): Promise<void> {
    const { token, interval, from } = missing;
    const resource = nameOf(name, missing);
    requestedFrom.set(resource, from);
    const reported = await samples(token, interval, from);
    const fills = archive.missing(token, interval, PRIMARY_SOURCE);
    const rows = reported.filter(({ at }) => at >= from).map((sample) => ({ ...sample, final: false }));
    const head = rows[0];
    const last = rows.at(-1);
    if (!head || !last) return recorder.record(resource, token, [], clock.now());
    // The exchange may not have listed the token before its first sample.
    const start = Math.max(from, head.at - spacingOf(interval) + 1);
    const reach = { from: start, thru: intervalStart('minute', last.at) + MINUTE - 1 };
    const ofExchanges = higherThan(name).filter((source) => source !== PRIMARY_SOURCE);
    const updates = subtractSpans(reach, coverageOf(ofExchanges, missing)).map((covers) => ({
      interval,
      rows: rows.filter(({ at }) => at >= covers.from && at <= covers.thru),
      covers,
      fills,
    }));
    await recorder.record(resource, token, updates, clock.now());
  }

  /** Whether a newer sample exists, or older samples are requested. Missing samples are retried with growing pauses. */
  function isDue(resource: Fetch, { token, interval, from, within }: Missing): boolean {
    const slot = (at: number) => Math.floor(at / spacingOf(interval));
    const now = clock.now();
    const fetchedAt = archive.fetchedAt(resource);
    if (fetchedAt === undefined || ageAt(fetchedAt, now) === Number.POSITIVE_INFINITY) return true;
    if (within) {
      const since = archive.fetchedAt(missingOf(token, interval));
      return fetchedAt < (since ?? now) || now - fetchedAt >= retryPause(since, fetchedAt);
    }
    const isOlder = from < (requestedFrom.get(resource) ?? Number.POSITIVE_INFINITY);
    return isOlder || slot(now) > slot(fetchedAt);
  }

  /** Makes at most one call per source. Calls a source again when a newer sample becomes available. */
  async function fill(token: TokenName, window: Window, within?: readonly Span[]): Promise<FetchOutcome> {
    const outcomes: FetchOutcome[] = [];
    for (const source of exchanges.filter(({ lists }) => lists(token))) {
      const gaps = gapsOf(source, token, window);
      const [gap] = within ? gaps.flatMap((gap) => within.flatMap((span) => overlap(gap, span) ?? [])) : gaps;
      if (!gap) continue;
      const missing = { token, interval: window.interval, from: gap.from, within };
      const resource = nameOf(source.name, missing);
      if (!isDue(resource, missing)) continue;
      const runner = createFetchRunner({ singleFlight, clock });
      await runner.run(resource, 'end', () => fetchSamples(source, missing));
      outcomes.push(runner.outcome);
    }
    return allOutcomes(outcomes);
  }

  return {
    isComplete: (token: TokenName, window: Window): boolean =>
      gapsFrom(archive.beginning(token), window, archive.coverage(token, window.interval)).length === 0,

    reach: (interval: Interval): number =>
      Math.min(
        ...exchanges.map(({ name, reach }) =>
          Math.max(reach(interval, clock.now()), keptFrom(retention, name, clock.now())),
        ),
      ),

    window: (token: TokenName, window: Window): Promise<FetchOutcome> => fill(token, window),

    /** Fills the parts of a window for which the primary source has returned no samples. */
    missing(token: TokenName, window: Window): Promise<FetchOutcome> {
      const within = archive.missing(token, window.interval, PRIMARY_SOURCE);
      return within.length === 0 ? Promise.resolve(NOTHING_TO_FETCH) : fill(token, window, within);
    },
  };
}

export type WindowFailover = ReturnType<typeof createWindowFailover>;
