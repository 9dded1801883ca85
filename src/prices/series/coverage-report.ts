import { knownSince } from '#catalogue/catalogue';
import type { Token, TokenName } from '#catalogue/token';
import { type Clock, type Span, subtractSpans } from '#core/clock';
import { memo } from '#core/memo';
import { completeSpans, gapsIn, INTERVALS, type Interval } from '#prices/model/interval';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { missingSamples } from '#prices/model/missing-samples';
import { plausibleTimes } from '#upstream/items/plausible';
import type { PointStore } from './point-store.ts';
import type { Coverage, SeriesSummary } from './series-store.ts';

/** One series from one source. `first` and `last` are the times of the first and last sample in Unix ms. */
export type CoverageRow = {
  token: TokenName;
  interval: Interval;
  source: MarketSourceName;
  points: number;
  first: number | undefined;
  last: number | undefined;
  /** Spans for which the source has provided all its data. */
  spans: Span[];
  /** Gaps across all sources, from the token's start (its listing, or an older stored day) until now. */
  gaps: Span[];
};

type StoredSeries = {
  tokens: readonly Token[];
  summary: readonly SeriesSummary[];
  coverage: readonly Coverage[];
  complete: (coverage: readonly Coverage[], interval: Interval) => Span[];
  gapsOf: (token: Token, interval: Interval, reported: readonly SeriesSummary[], complete: Span[]) => Span[];
  /** The source that always has a row in the report. Other sources have a row only if they have data. */
  always?: MarketSourceName;
};

export function reportRows({ tokens, summary, coverage, complete, gapsOf, always }: StoredSeries): CoverageRow[] {
  const series = tokens.flatMap((token) => INTERVALS.map((interval) => ({ token, interval })));
  return series.flatMap(({ token, interval }) => {
    const isOfSeries = (row: { token: string; interval: string }) =>
      row.token === token.name && row.interval === interval;
    const reported = summary.filter(isOfSeries);
    const covered = coverage.filter(isOfSeries);
    const gaps = gapsOf(token, interval, reported, complete(covered, interval));
    return MARKET_SOURCES.flatMap((source): CoverageRow[] => {
      const row = reported.find((series) => series.source === source);
      const ofSource = covered.filter((span) => span.source === source);
      if (source !== always && !row && ofSource.length === 0) return [];
      const { points = 0, from: first, thru: last } = row ?? {};
      return [{ token: token.name, interval, source, points, first, last, spans: complete(ofSource, interval), gaps }];
    });
  });
}

/** Lists the archived data and gaps of every token and interval, per source. The primary source always has a row. */
export async function coverageReport(store: PointStore, tokens: readonly Token[], clock: Clock) {
  const now = clock.now();
  const times = plausibleTimes(now);
  const [summary, coverage] = await Promise.all([store.summary(times), store.coverage()]);
  const distant = Map.groupBy(await store.distantSamples(times), ({ token, interval }) => `${interval}:${token}`);
  /** Returns the missing samples within the stored coverage. */
  const holes = (token: TokenName, interval: Interval) =>
    (distant.get(`${interval}:${token}`) ?? []).flatMap(({ span }) =>
      missingSamples(interval, span, [span.from, span.thru]),
    );
  const dayRows = summary.filter(({ interval }) => interval === 'day');
  const days = Map.groupBy(dayRows, ({ token }) => token);
  return reportRows({
    tokens,
    summary,
    coverage,
    always: PRIMARY_SOURCE,
    complete: (rows, interval) => completeSpans(rows, interval, now),
    gapsOf(token, interval, _reported, complete) {
      const beginning = knownSince(token, Math.min(...(days.get(token.name) ?? []).map(({ from }) => from)));
      const wholeTime = { from: beginning, thru: Number.POSITIVE_INFINITY };
      const missing = holes(token.name, interval);
      const contained = complete.flatMap((span) => subtractSpans(span, missing));
      return gapsIn(interval, wholeTime, { now, beginning, coverage: contained });
    },
  });
}

/** The first instant with known prices of a token, according to a report. */
export function beginningIn(report: readonly CoverageRow[]) {
  return function beginning(token: Token): number {
    const days = report.filter((row) => row.token === token.name && row.interval === 'day');
    return knownSince(token, Math.min(...days.flatMap(({ first }) => first ?? [])));
  };
}

type Counted = { changes: number; rows: readonly SeriesSummary[] };
type Dependencies = { store: Pick<PointStore, 'changes' | 'summary'>; clock: Clock };

/**
 * The first and last sample and the number of samples per series and source. The samples are counted again only after a
 * change.
 */
export function createArchiveSummary({ store, clock }: Dependencies) {
  const counted = new Map<TokenName, Counted>();

  async function count(): Promise<SeriesSummary[]> {
    const changes = await store.changes();
    const changed = [...changes].filter(([token, count]) => counted.get(token)?.changes !== count);
    const tokens = changed.map(([token]) => token);
    const rows = tokens.length > 0 ? await store.summary(plausibleTimes(clock.now()), tokens) : [];
    const rowsOf = Map.groupBy(rows, ({ token }) => token);
    for (const [token, count] of changed) {
      counted.set(token, { changes: count, rows: rowsOf.get(token) ?? [] });
    }
    return [...counted.values()].flatMap(({ rows }) => rows);
  }

  return memo(count, { ttl: 0, clock });
}
