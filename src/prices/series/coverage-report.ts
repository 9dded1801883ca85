import { knownSince } from '#catalogue/catalogue';
import type { Token, TokenName } from '#catalogue/token';
import { type Clock, type Span, subtractSpans } from '#core/clock';
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

const seriesOf = ({ token, interval }: { token: string; interval: string }) => `${interval}:${token}`;

export function reportRows({ tokens, summary, coverage, complete, gapsOf, always }: StoredSeries): CoverageRow[] {
  const summaryOf = Map.groupBy(summary, seriesOf);
  const coverageOf = Map.groupBy(coverage, seriesOf);
  const series = tokens.flatMap((token) => INTERVALS.map((interval) => ({ token, interval })));
  return series.flatMap(({ token, interval }) => {
    const name = seriesOf({ token: token.name, interval });
    const reported = summaryOf.get(name) ?? [];
    const covered = coverageOf.get(name) ?? [];
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
  const names = tokens.map(({ name }) => name);
  const [summary, coverage] = await Promise.all([store.summary(times, names), store.coverage(names)]);
  const distant = Map.groupBy(await store.distantSamples(times, names), seriesOf);
  const holes = (token: TokenName, interval: Interval) =>
    (distant.get(seriesOf({ token, interval })) ?? []).flatMap(({ span }) =>
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
  const days = Map.groupBy(report, ({ token, interval }) => (interval === 'day' ? token : undefined));
  return function beginning(token: Token): number {
    return knownSince(token, Math.min(...(days.get(token.name) ?? []).flatMap(({ first }) => first ?? [])));
  };
}
