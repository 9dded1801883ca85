import type { Clock } from '#domain/clock';
import { gapsIn } from '#domain/market/gaps';
import { INTERVALS, type Interval } from '#domain/market/interval';
import { plausibleTimes } from '#domain/market/plausible-sample';
import type { Span } from '#domain/market/span';
import { knownSince, TOKEN_NAMES, type TokenName } from '#domain/market/token';
import type { ArchiveStore } from '#stores/market/archive';
import { coveredSpans } from './archive-cache.ts';

/** What the archive holds of one series; instants in Unix ms, `first` and `last` those of its samples. */
export type CoverageRow = {
  token: TokenName;
  interval: Interval;
  points: number;
  first: number | undefined;
  last: number | undefined;
  /** The spans that are complete: the source has no more of them. */
  spans: Span[];
  /** The gaps between the token's beginning (its listing, or an older stored day) and now. */
  gaps: Span[];
};

/** What the archive holds of every token and interval, and its gaps. */
export async function coverageReport(store: ArchiveStore, clock: Clock): Promise<CoverageRow[]> {
  const now = clock.now();
  const [summary, coverage] = await Promise.all([store.summary(plausibleTimes(now)), store.coverage()]);

  const rowOf = (token: TokenName, interval: Interval) =>
    summary.find((row) => row.token === token && row.interval === interval);
  return TOKEN_NAMES.flatMap((token) =>
    INTERVALS.map((interval): CoverageRow => {
      const row = rowOf(token, interval);
      const spans = coveredSpans(coverage, token, interval, now);
      const beginning = knownSince(token, rowOf(token, 'day')?.from);
      const wholeTime = { from: beginning, thru: Number.POSITIVE_INFINITY };
      return {
        token,
        interval,
        points: row?.points ?? 0,
        first: row?.from,
        last: row?.thru,
        spans,
        gaps: gapsIn(interval, wholeTime, { now, beginning, coverage: spans }),
      };
    }),
  );
}
