import type { TokenName } from '#catalogue/token';
import {
  type Clock,
  DAY,
  HOUR,
  isoDate,
  MINUTE,
  overlap,
  SECOND,
  type Span,
  startOfDate,
  subtractSpans,
  union,
} from '#core/clock';
import { Problem } from '#core/problems';
import type { ArchiveCache } from '#prices/latest/latest-cache';
import { gapsIn, samplesIn, spanText, type Window } from '#prices/model/interval';
import { PRIMARY_SOURCE, sourcesByFrequency } from '#prices/model/market-sources';
import type { SourcedSample } from '#prices/model/sample';
import { columnsOf, firstSample, firstUnsettled, POINTS, type PointSeries } from '#prices/model/series';
import type { Backfill } from '#prices/refresh/backfill';
import { upstreamProblem } from '#upstream/failures/failure';

export type ReaderDeps = {
  archive: ArchiveCache;
  backfill: Backfill;
  clock: Clock;
};

/** On every plan, CoinGecko provides minutes for the last day only. */
const isOnNoPlan = ({ interval, span }: Window, now: number) => interval === 'minute' && span.thru < now - DAY;

/** Whether CoinGecko has no history of this interval at all, or has failed to provide its samples for a week. */
function isLacking({ archive, backfill, clock }: ReaderDeps, token: TokenName, { interval, span }: Window): boolean {
  const first = archive.first(token, interval);
  // The samples of the last day can also be stored latest prices.
  const hasHistory = first !== undefined && (first <= span.thru || first < clock.now() - DAY);
  return !hasHistory || backfill.isGivenUp(token, interval);
}

type EmptyWindow = { token: TokenName; window: Window; failure: unknown; gaps: readonly Span[] };

/** The error for a window without a sample. */
function emptyWindowProblem(deps: ReaderDeps, { token, window, failure, gaps: spans }: EmptyWindow): unknown {
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

/** Windows with more samples than this are sent in pieces (5,000 samples take 10 ms), and one at a time per user. */
const WIDE_SAMPLES = 1000;
/** Only a limited number of windows with more samples than this may wait at the same time. */
const LONG_SAMPLES = 6000;
export type WindowSize = 'short' | 'wide' | 'long';

export function windowSize(samples: number): WindowSize {
  if (samples > LONG_SAMPLES) return 'long';
  return samples > WIDE_SAMPLES ? 'wide' : 'short';
}

/** How long after midnight a sample may be used instead of today's row, in ms. */
const STANDS_IN = HOUR;

/** Until today's row is ready, the first sample after midnight is used instead, but no sample from a later hour. */
function standIn({ archive, clock }: ReaderDeps, token: TokenName): SourcedSample | undefined {
  const today = startOfDate(clock.now());
  const firsts = (['minute', 'hour'] as const).map((interval) =>
    firstSample(archive.series(token, interval).slice(today, Number.POSITIVE_INFINITY)),
  );
  const [first] = firsts.filter((sample) => sample !== undefined).sort((a, b) => a.at - b.at);
  return first && first.at - today < STANDS_IN ? first : undefined;
}

/** Reads a window's rows and the samples after them. Valid only until the next await: rows may be replaced. */
function readRows(deps: ReaderDeps, token: TokenName, window: Window, series: PointSeries) {
  const { archive, clock } = deps;
  const { interval, span, open, withLatest } = window;
  const slice = series.slice(span.from, open ? Number.POSITIVE_INFINITY : span.thru);
  const following: SourcedSample[] = [];
  let lastAt = slice.end > slice.start ? (slice.columns.at[slice.end - 1] as number) : span.from - 1;
  const follow = (sample: SourcedSample | undefined) => {
    if (!sample || sample.at <= lastAt) return;
    following.push(sample);
    lastAt = sample.at;
  };
  if (interval === 'day' && open && lastAt < startOfDate(clock.now())) follow(standIn(deps, token));
  // The latest sample may be outside the requested window, so it does not count.
  const isEmpty = slice.start === slice.end && following.length === 0;
  if (withLatest) follow(archive.newest(token));
  const sources = sourcesByFrequency(
    slice.columns.source.subarray(slice.start, slice.end),
    columnsOf(POINTS, following).source,
  );
  const isOfPrimary = sources.every((source) => source === PRIMARY_SOURCE);
  const inMemory = series === archive.series(token, interval);
  return {
    isEmpty,
    // CoinGecko reports minutes of the last day only, so older minutes are final. Provisional rows never become
    // final.
    isSettled: !open && (firstUnsettled(slice) === undefined || (isOfPrimary && isOnNoPlan(window, clock.now()))),
    lastAt,
    isWide: windowSize(slice.end - slice.start) !== 'short',
    sources,
    first: (): SourcedSample | undefined => firstSample(slice) ?? following[0],
    columns: () => columnsOf(POINTS, following, slice),
    /** Identifies the rows. Undefined for rows that are not in memory, so that responses with them are not cached. */
    version: inMemory
      ? [series.version(), slice.start, slice.end, ...following.flatMap(Object.values)].join()
      : undefined,
  };
}

export function createWindowReader(deps: ReaderDeps) {
  const { archive, backfill, clock } = deps;

  const series = (token: TokenName, { interval, span, open }: Window) =>
    archive.reaching(token, interval, { from: span.from, thru: open ? Number.POSITIVE_INFINITY : span.thru });

  function size(token: TokenName, { interval, span }: Window): WindowSize {
    const withData = overlap(span, { from: archive.beginning(token), thru: clock.now() });
    return windowSize(withData === undefined ? 0 : samplesIn(interval, withData));
  }

  /** The gaps of a window, except gaps that the next chart fills. */
  function missing(token: TokenName, { interval, span, open }: Window): Span[] {
    const now = clock.now();
    const stored = { now, beginning: archive.beginning(token), coverage: archive.coverage(token, interval) };
    const nextChartFrom = open && interval !== 'day' ? now - backfill.schedule().chart : now;
    return gapsIn(interval, span, stored).filter((gap) => gap.from < nextChartFrom);
  }

  return {
    read: (token: TokenName, window: Window, series: PointSeries) => readRows(deps, token, window, series),
    series,
    size,
    missing,

    /** Returns the missing spans as `from/thru`. The function `others` returns further missing parts of a span. */
    gaps(token: TokenName, window: Window, others: (span: Span) => Span[] = () => []): string[] {
      const withData = overlap(window.span, { from: archive.beginning(token), thru: clock.now() });
      const spans = [...missing(token, window), ...(withData ? others(withData) : [])];
      return union(spans).map((span) => spanText(window.interval, span));
    },

    nothingToServe: (token: TokenName, window: Window, failure: unknown): unknown =>
      emptyWindowProblem(deps, { token, window, failure, gaps: missing(token, window) }),
  };
}

export type WindowReader = ReturnType<typeof createWindowReader>;
export type WindowRows = ReturnType<typeof readRows>;
