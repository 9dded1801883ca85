import type { TokenName } from '#catalogue/token';
import { MINUTE, overlap, type Span, subtractSpans, union } from '#core/clock';
import { type ArchiveCache, type Fetch, missingOf } from '#prices/latest/latest-cache';
import { gapsIn, type Interval, intervalStart, spacingOf, type Window } from '#prices/model/interval';
import { keptFrom, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { retryPause } from '#prices/model/missing-samples';
import type { OpenedExchange } from '#prices/sources/open-exchange';
import { allOutcomes, createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH } from '#upstream/fetch-runner';
import { ageAt } from '#upstream/freshness';
import type { Recorder } from './recorder.ts';
import type { RefreshDeps } from './refresh-deps.ts';

type WindowSource = Pick<OpenedExchange, 'name' | 'lists' | 'reach' | 'samples'> & { recorder: Recorder };

/** `within` limits the request to spans for which the primary source has returned no samples. */
type Missing = { token: TokenName; interval: Interval; from: number; within: readonly Span[] | undefined };

type Series = Pick<Missing, 'token' | 'interval'>;

/** `requestedFrom`: the instant (Unix ms) from which this process last requested each series. */
type State = RefreshDeps & { requestedFrom: Map<Fetch, number> };

const coverageOf = (archive: ArchiveCache, sources: readonly MarketSourceName[], { token, interval }: Series): Span[] =>
  union(sources.flatMap((source) => archive.coverage(token, interval, source)));

/** The parts of a window that a source may fill. Data from a lower source counts as a gap. */
function gapsOf({ archive, retention, clock }: State, source: WindowSource, token: TokenName, window: Window): Span[] {
  const { interval } = window;
  const now = clock.now();
  // The two oldest samples may be gone or incomplete when the response arrives.
  const first = source.reach(interval, now) + 2 * spacingOf(interval);
  const beginning = Math.max(archive.beginning(token), first, keptFrom(retention, source.name, now));
  const lower = archive.sources.slice(archive.sources.indexOf(source.name) + 1);
  // Data from sources that are turned off is kept.
  const replaceable = coverageOf(archive, lower, { token, interval });
  const coverage = archive.coverage(token, interval).flatMap((span) => subtractSpans(span, replaceable));
  return gapsIn(interval, window.span, { now, beginning, coverage });
}

async function fetchSamples(state: State, source: WindowSource, resource: Fetch, missing: Missing): Promise<void> {
  const { archive, requestedFrom, clock } = state;
  const { name, samples, recorder } = source;
  const { token, interval, from } = missing;
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
  const higher = archive.sources.slice(0, archive.sources.indexOf(name)).filter((source) => source !== PRIMARY_SOURCE);
  const updates = subtractSpans(reach, coverageOf(archive, higher, missing)).map((covers) => ({
    interval,
    rows: rows.filter(({ at }) => at >= covers.from && at <= covers.thru),
    covers,
    fills,
  }));
  await recorder.record(resource, token, updates, clock.now());
}

/** Whether a newer sample exists, or older samples are requested. Missing samples are retried with growing pauses. */
function isDue({ archive, requestedFrom, clock }: State, resource: Fetch, missing: Missing): boolean {
  const { token, interval, from, within } = missing;
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

/** Fills the gaps of a window from the exchanges, in their order. */
export function createWindowFailover(deps: RefreshDeps, exchanges: readonly WindowSource[]) {
  const { archive, singleFlight, retention, clock } = deps;
  const state: State = { ...deps, requestedFrom: new Map() };

  /** Makes at most one call per source. Calls a source again when a newer sample becomes available. */
  async function fill(token: TokenName, window: Window, within?: readonly Span[]): Promise<FetchOutcome> {
    const { interval } = window;
    const outcomes: FetchOutcome[] = [];
    for (const source of exchanges.filter(({ lists }) => lists(token))) {
      const gaps = gapsOf(state, source, token, window);
      const [gap] = within ? gaps.flatMap((gap) => within.flatMap((span) => overlap(gap, span) ?? [])) : gaps;
      if (!gap) continue;
      const missing = { token, interval, from: gap.from, within };
      const resource: Fetch = `${source.name}:${interval}:${token}`;
      if (!isDue(state, resource, missing)) continue;
      const runner = createFetchRunner({ singleFlight, clock });
      await runner.run(resource, 'end', () => fetchSamples(state, source, resource, missing));
      outcomes.push(runner.outcome);
    }
    return allOutcomes(outcomes);
  }

  return {
    isComplete(token: TokenName, { interval, span }: Window): boolean {
      const coverage = archive.coverage(token, interval);
      return gapsIn(interval, span, { now: clock.now(), beginning: archive.beginning(token), coverage }).length === 0;
    },

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
