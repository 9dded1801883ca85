import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, isoDate, overlap, type Span, union } from '#core/clock';
import { Problem } from '#core/problems';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import { gapsIn, spanText, type Window } from '#prices/model/interval';
import type { Backfill } from '#prices/refresh/backfill';
import { upstreamProblem } from '#upstream/failure';

type Dependencies = { archive: ArchiveCache; backfill: Backfill; clock: Clock };

/** CoinGecko provides minutes of the last day only, on every plan. */
const isOnNoPlan = ({ interval, span }: Window, now: number) => interval === 'minute' && span.thru < now - DAY;

export function createGapReport({ archive, backfill, clock }: Dependencies) {
  /** The gaps of a window, except those that the next chart fills. */
  function missing(token: TokenName, { interval, span, open }: Window): Span[] {
    const now = clock.now();
    const known = { now, beginning: archive.beginning(token), coverage: archive.coverage(token, interval) };
    const nextChartFrom = open && interval !== 'day' ? now - backfill.schedule().chart : now;
    return gapsIn(interval, span, known).filter((gap) => gap.from < nextChartFrom);
  }

  return {
    missing,

    /** The missing spans as `from/thru`; `others` returns further missing parts of a span. */
    gaps(token: TokenName, window: Window, others: (span: Span) => Span[] = () => []): string[] {
      const known = overlap(window.span, { from: archive.beginning(token), thru: clock.now() });
      const spans = [...missing(token, window), ...(known ? others(known) : [])];
      return union(spans).map((span) => spanText(window.interval, span));
    },

    /** The error for a window without a sample; `failure` is the fetch failure, if any. */
    nothingToServe(token: TokenName, window: Window, failure: unknown): unknown {
      const gaps = missing(token, window).map((span) => spanText(window.interval, span));
      if (failure) return upstreamProblem(failure, { members: { gaps } });
      if (gaps.length === 0) {
        const listed = isoDate(archive.beginning(token));
        return new Problem('no_data', `The requested time has no samples. The token's history starts on ${listed}.`);
      }
      if (isOnNoPlan(window, clock.now())) {
        const detail = 'Minute prices are available only for the last 24 hours, and none are archived for this time.';
        return new Problem('no_data', detail, { members: { gaps } });
      }
      const reach = backfill.reach(window.interval);
      const detail =
        window.span.thru < reach
          ? `The requested time is not archived. CoinGecko's plan or the retention period reaches back to ${isoDate(reach)}.`
          : 'The requested time is not archived, and CoinGecko has not provided it yet.';
      return new Problem('upstream_unavailable', detail, { retryAfter: HOUR / 1000, members: { gaps } });
    },
  };
}

export type GapReport = ReturnType<typeof createGapReport>;
