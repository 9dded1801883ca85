import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, isoDate, MINUTE, SECOND, type Span, subtractSpans } from '#core/clock';
import { Problem } from '#core/problems';
import type { ArchiveCache } from '#prices/latest/latest-cache';
import { spanText, type Window } from '#prices/model/interval';
import type { Backfill } from '#prices/refresh/backfill';
import { upstreamProblem } from '#upstream/failures/failure';

export type ReaderDeps = {
  archive: ArchiveCache;
  backfill: Backfill;
  clock: Clock;
};

/** On every plan, CoinGecko provides minutes for the last day only. */
export const isOnNoPlan = ({ interval, span }: Window, now: number) => interval === 'minute' && span.thru < now - DAY;

/** Whether CoinGecko has no history of this interval at all, or has failed to provide its samples for a week. */
function isLacking({ archive, backfill, clock }: ReaderDeps, token: TokenName, { interval, span }: Window): boolean {
  const first = archive.first(token, interval);
  // The samples of the last day can also be stored latest prices.
  const hasHistory = first !== undefined && (first <= span.thru || first < clock.now() - DAY);
  return !hasHistory || backfill.isGivenUp(token, interval);
}

type EmptyWindow = { token: TokenName; window: Window; failure: unknown; gaps: readonly Span[] };

/** The error for a window without a sample. */
export function emptyWindowProblem(deps: ReaderDeps, { token, window, failure, gaps: spans }: EmptyWindow): unknown {
  const { archive, backfill, clock } = deps;
  const { interval, span } = window;
  const gaps = spans.map((gap) => spanText(interval, gap));
  const members = { gaps };
  if (failure) return upstreamProblem(failure, { members });
  const beginning = archive.beginning(token);
  if (span.thru < beginning) {
    const detail = `The requested period contains no samples. The history of this token starts on ${isoDate(beginning)}.`;
    return new Problem('no_data', detail);
  }
  if (gaps.length === 0) {
    const detail = 'The requested period has just started. Its first sample is not available yet.';
    return new Problem('upstream_unavailable', detail, { retryAfter: MINUTE / SECOND });
  }
  if (isOnNoPlan(window, clock.now())) {
    const detail =
      'Minute prices are available only for the last 24 hours and for archived periods. The requested period is not archived.';
    return new Problem('no_data', detail, { members });
  }
  const reported = archive.missing(token, interval);
  if (isLacking(deps, token, window) && spans.every((gap) => subtractSpans(gap, reported).length === 0))
    return new Problem('no_data', 'CoinGecko has no samples for the requested period.', { members });
  const reach = backfill.reach(interval);
  const detail =
    span.thru < reach
      ? `The requested period is not archived. The CoinGecko plan and the retention period of this service reach back to ${isoDate(reach)}.`
      : 'The requested period is not archived, and CoinGecko has not provided its data yet.';
  return new Problem('upstream_unavailable', detail, { retryAfter: HOUR / SECOND, members });
}
