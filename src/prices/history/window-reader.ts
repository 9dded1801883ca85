import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, isoDate, overlap, type Span, startOfDate, union } from '#core/clock';
import { Problem } from '#core/problems';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import { gapsIn, isMidnightSample, samplesIn, spanText, type Window } from '#prices/model/interval';
import { PRIMARY_SOURCE, sourcesByFrequency } from '#prices/model/market-sources';
import type { SourcedSample } from '#prices/model/sample';
import { columnsOf, firstSample, firstUnsettled, POINTS, type PointSeries } from '#prices/model/series';
import type { Backfill } from '#prices/refresh/backfill';
import { upstreamProblem } from '#upstream/failure';

/** Windows larger than this are sent in pieces (5,000 samples take 10 ms), and one at a time per user. */
const WIDE_SAMPLES = 1000;
/** Only a limited number of windows larger than this may wait at the same time. */
const LONG_SAMPLES = 6000;
export type WindowSize = 'short' | 'wide' | 'long';

export function windowSize(samples: number): WindowSize {
  if (samples > LONG_SAMPLES) return 'long';
  return samples > WIDE_SAMPLES ? 'wide' : 'short';
}

type Dependencies = {
  archive: ArchiveCache;
  backfill: Pick<Backfill, 'reach' | 'schedule'>;
  clock: Clock;
};

/** CoinGecko provides minutes of the last day only, on every plan. */
const isOnNoPlan = ({ interval, span }: Window, now: number) => interval === 'minute' && span.thru < now - DAY;

export function createWindowReader({ archive, backfill, clock }: Dependencies) {
  /** Until today's row is ready, the first sample after midnight is used instead, but not a later hour's sample. */
  function standIn(token: TokenName): SourcedSample | undefined {
    const today = startOfDate(clock.now());
    const firsts = (['minute', 'hour'] as const).map((interval) =>
      firstSample(archive.series(token, interval).slice(today, Number.POSITIVE_INFINITY)),
    );
    const [first] = firsts.filter((sample) => sample !== undefined).sort((a, b) => a.at - b.at);
    return first && isMidnightSample(first.at) ? first : undefined;
  }

  /** Reads a window's rows and the samples after them. Valid only until the next await: rows may be replaced. */
  function read(token: TokenName, window: Window, series: PointSeries) {
    const { interval, span, open, withLatest } = window;
    const slice = series.slice(span.from, open ? Number.POSITIVE_INFINITY : span.thru);
    const following: SourcedSample[] = [];
    let lastAt = slice.end > slice.start ? (slice.columns.at[slice.end - 1] as number) : span.from - 1;
    const follow = (sample: SourcedSample | undefined) => {
      if (!sample || sample.at <= lastAt) return;
      following.push(sample);
      lastAt = sample.at;
    };
    if (interval === 'day' && open && lastAt < startOfDate(clock.now())) follow(standIn(token));
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
      // CoinGecko reports minutes of the last day only, so older minutes are final. Provisional rows never settle.
      isSettled: !open && (firstUnsettled(slice) === undefined || (isOfPrimary && isOnNoPlan(window, clock.now()))),
      lastAt,
      isWide: windowSize(slice.end - slice.start) !== 'short',
      sources,
      first: (): SourcedSample | undefined => firstSample(slice) ?? following[0],
      columns: () => columnsOf(POINTS, following, slice),
      /** Identifies the rows. Undefined for rows that are not in memory, so that their bodies are not cached. */
      version: inMemory
        ? [series.version, slice.start, slice.end, ...following.flatMap(Object.values)].join()
        : undefined,
    };
  }

  const series = (token: TokenName, { interval, span, open }: Window) =>
    archive.reaching(token, interval, { from: span.from, thru: open ? Number.POSITIVE_INFINITY : span.thru });

  function size(token: TokenName, { interval, span }: Window): WindowSize {
    const known = overlap(span, { from: archive.beginning(token), thru: clock.now() });
    return windowSize(known === undefined ? 0 : samplesIn(interval, known));
  }

  /** The gaps of a window, except those that the next chart fills. */
  function missing(token: TokenName, { interval, span, open }: Window): Span[] {
    const now = clock.now();
    const known = { now, beginning: archive.beginning(token), coverage: archive.coverage(token, interval) };
    const nextChartFrom = open && interval !== 'day' ? now - backfill.schedule().chart : now;
    return gapsIn(interval, span, known).filter((gap) => gap.from < nextChartFrom);
  }

  return {
    read,
    series,
    size,
    missing,

    /** The missing spans as `from/thru`. `others` returns further missing parts of a span. */
    gaps(token: TokenName, window: Window, others: (span: Span) => Span[] = () => []): string[] {
      const known = overlap(window.span, { from: archive.beginning(token), thru: clock.now() });
      const spans = [...missing(token, window), ...(known ? others(known) : [])];
      return union(spans).map((span) => spanText(window.interval, span));
    },

    /** The error for a window without a sample. `failure` is the fetch failure, if any. */
    nothingToServe(token: TokenName, window: Window, failure: unknown): unknown {
      const gaps = missing(token, window).map((span) => spanText(window.interval, span));
      if (failure) return upstreamProblem(failure, { members: { gaps } });
      if (gaps.length === 0) {
        const listed = isoDate(archive.beginning(token));
        return new Problem(
          'no_data',
          `The requested period contains no samples. The history of this token starts on ${listed}.`,
        );
      }
      if (isOnNoPlan(window, clock.now())) {
        const detail =
          'Minute prices are available only for the last 24 hours and for archived periods. The requested period is not archived.';
        return new Problem('no_data', detail, { members: { gaps } });
      }
      const reach = backfill.reach(window.interval);
      const detail =
        window.span.thru < reach
          ? `The requested period is not archived. The CoinGecko plan and the retention period of this service reach back to ${isoDate(reach)}.`
          : 'The requested period is not archived, and CoinGecko has not provided its data yet.';
      return new Problem('upstream_unavailable', detail, { retryAfter: HOUR / 1000, members: { gaps } });
    },
  };
}

export type WindowReader = ReturnType<typeof createWindowReader>;
export type WindowRows = ReturnType<WindowReader['read']>;
