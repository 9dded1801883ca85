import { knownSince, type Token, type TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import type { Span } from '#core/span';
import { gapsIn } from '#prices/model/gaps';
import { INTERVALS, type Interval } from '#prices/model/interval';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { plausibleTimes } from '#upstream/plausible';
import type { ArchiveStore, Coverage, SeriesSummary } from './archive-store.ts';
import { coveredSpans } from './cached-token.ts';

/** What the archive holds of one series from one source; instants in Unix ms, `first` and `last` those of its samples. */
export type CoverageRow = {
  token: TokenName;
  interval: Interval;
  source: MarketSourceName;
  points: number;
  first: number | undefined;
  last: number | undefined;
  /** The spans that are complete: the source has no more of them. */
  spans: Span[];
  /** The gaps between the token's beginning (its listing, or an older stored day) and now, whoever might fill them. */
  gaps: Span[];
};

/**
 * What the archive holds of every token and interval, from whom, and its gaps. The first source has a row in any case,
 * others where they told something.
 */
export async function coverageReport(
  store: ArchiveStore,
  tokens: readonly Token[],
  clock: Clock,
): Promise<CoverageRow[]> {
  const now = clock.now();
  const [summary, coverage] = await Promise.all([store.summary(plausibleTimes(now)), store.coverage()]);

  return tokens.flatMap((listed) => {
    const token = listed.name;
    const days = summary.filter((row) => row.token === token && row.interval === 'day');
    const beginning = knownSince(listed, Math.min(...days.map(({ from }) => from)));
    const wholeTime = { from: beginning, thru: Number.POSITIVE_INFINITY };
    return INTERVALS.flatMap((interval) => {
      const [told, covered] = [summary, coverage].map((rows) =>
        rows.filter((row) => row.token === token && row.interval === interval),
      ) as [SeriesSummary[], Coverage[]];
      const all = coveredSpans(covered, interval, now);
      const gaps = gapsIn(interval, wholeTime, { now, beginning, coverage: all });
      return MARKET_SOURCES.flatMap((source): CoverageRow[] => {
        const row = told.find((one) => one.source === source);
        const mine = covered.filter((one) => one.source === source);
        if (source !== PRIMARY_SOURCE && !row && mine.length === 0) return [];
        const { points = 0, from: first, thru: last } = row ?? {};
        return [
          { token, interval, source, points, first, last, spans: coveredSpans(mine, interval, now), gaps },
        ];
      });
    });
  });
}

/** The first instant of which prices of a token are known, by such a report. */
export const beginningIn =
  (report: readonly CoverageRow[]) =>
  (token: Token): number =>
    knownSince(
      token,
      Math.min(
        ...report.flatMap((row) =>
          row.token === token.name && row.interval === 'day' ? (row.first ?? []) : [],
        ),
      ),
    );
