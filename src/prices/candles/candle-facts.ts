import { type Clock, HOUR, isoDate, MINUTE, overlap, SECOND, type Span, union, without } from '#core/clock';
import { Problem } from '#core/problems';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import { currencyText, type Valuation, withRates } from '#prices/currencies/valuation';
import { fileName } from '#prices/history/series-text';
import { type CandleColumns, candleLength } from '#prices/model/candle';
import { type Interval, spanText, type Window } from '#prices/model/interval';
import { keptFrom, type Retention } from '#prices/model/market-sources';
import { firstUnsettled, wholeOf } from '#prices/model/series';
import type { Kraken } from '#prices/sources/kraken';
import { UpstreamFailure, upstreamProblem } from '#upstream/failure';
import type { FetchOutcome } from '#upstream/fetch-runner';
import { ageAt, type Wait } from '#upstream/freshness';
import { type CandleCache, candleFetch } from './candle-cache.ts';
import type { CandleSeries } from './candle-store.ts';

type Dependencies = {
  source: Pick<Kraken, 'name' | 'reach'>;
  cache: CandleCache;
  archive: Pick<ArchiveCache, 'beginning'>;
  retention: Retention;
  clock: Clock;
};

export function createCandleFacts({ source, cache, archive, retention, clock }: Dependencies) {
  const bounds = (interval: Interval, now: number) => ({
    reach: source.reach(interval, now),
    keptFrom: keptFrom(retention, source.name, now),
  });

  /** The first instant that can have candles: the start of the token's prices, or an older stored candle. */
  const beginning = (series: CandleSeries): number =>
    Math.min(archive.beginning(series.token), cache.first(series.token, series.interval) ?? Number.POSITIVE_INFINITY);

  /** The missing parts of a window, except the newest candle of an open window, which may not exist yet. */
  function missing(series: CandleSeries, { span, open }: Window) {
    const now = clock.now();
    const { interval } = series;
    const gaps = candleGaps(span, beginning(series), {
      now,
      interval,
      coverage: cache.coverage(series.token, series.interval),
    });
    const newest = runningCandle(interval, now) - candleLength(interval);
    return open ? gaps.filter(({ from }) => from < newest) : gaps;
  }

  function nothingToServe(series: CandleSeries, window: Window, failure: unknown): unknown {
    const spans = missing(series, window);
    const members = { gaps: spans.map((span) => spanText(series.interval, span)) };
    if (failure instanceof UpstreamFailure && failure.reason === 'not_listed')
      return new Problem('no_data', 'Kraken does not trade this token for US dollars.', { cause: failure });
    if (failure) return upstreamProblem(failure, { who: 'Kraken', members });
    const [first] = spans;
    if (!first) return new Problem('no_data', 'The requested period contains no finished candle for this token.');
    const oldest = firstRequested(series.interval, bounds(series.interval, clock.now()));
    if (spans.every(({ thru }) => thru < oldest)) {
      const available = isoDate(Math.min(oldest, cache.first(series.token, series.interval) ?? oldest));
      const detail =
        'Neither Kraken nor the archive has candles with this interval for the requested period. Candles are ' +
        `available from ${available}.`;
      return new Problem('no_data', detail, { members });
    }
    const detail = 'The archive has no candles for the requested period, and Kraken does not provide them yet.';
    return new Problem('upstream_unavailable', detail, { retryAfter: HOUR / SECOND, members });
  }

  function facts(
    series: CandleSeries,
    window: Window,
    columns: CandleColumns,
    outcome: FetchOutcome,
    valuation?: Valuation,
  ) {
    const now = clock.now();
    const length = candleLength(series.interval);
    const known = overlap(window.span, { from: beginning(series), thru: now });
    const unvalued = known && valuation ? valuation.missing(known) : [];
    const gaps = union([...missing(series, window), ...unvalued]).map((span) => spanText(series.interval, span));
    const lastAt = columns.at.at(-1) ?? window.span.from;
    const running = runningCandle(series.interval, now);
    const isBehind =
      window.open &&
      candleGaps({ from: running - length, thru: now }, 0, {
        now,
        interval: series.interval,
        coverage: cache.coverage(series.token, series.interval),
      }).length > 0;
    const fetchedAt = cache.fetchedAt(candleFetch(series));
    return {
      fileName: fileName([series.token, 'candles'], window, valuation?.currency),
      source: source.name,
      ...(valuation && { currency: currencyText(valuation) }),
      modifiedAt: lastAt + length,
      fetchedAt: window.open ? fetchedAt : undefined,
      dueAt: isBehind ? now : running + length,
      settled:
        !window.open &&
        gaps.length === 0 &&
        firstUnsettled(wholeOf(columns)) === undefined &&
        (valuation?.isSettled(lastAt) ?? true),
      gaps,
      outcome: valuation ? withRates(outcome, valuation.outcome) : outcome,
    };
  }

  return { bounds, beginning, missing, nothingToServe, facts };
}

/** How long after its end a candle becomes final, in ms. Younger candles have been observed to change. */
const SETTLES_AFTER = HOUR;
/** The delay before the next request, in ms. The newest candle may be available slightly late. */
const REQUEST_EVERY = MINUTE;
/** How many of Kraken's oldest candles are not requested, because Kraken may drop them before it responds. */
const EDGE = 2;

/** The known candles of a token and an interval as of `now`. Instants in Unix ms. */
type KnownCandles = {
  now: number;
  interval: Interval;
  coverage: readonly Span[];
  /** The start of the first candle that may still change and can be requested (`firstRequested`). */
  unsettledFrom: number | undefined;
  reach: number;
  keptFrom: number;
  fetchedAt: number | undefined;
};

/** `from` is the start of the candles to fetch (all if undefined). `wait` is how long the response waits for them. */
type PlannedCandles = { from: number | undefined; wait: Wait };

export const isCandleSettled = (at: number, length: number, fetchedAt: number): boolean =>
  fetchedAt >= at + length + SETTLES_AFTER;

export const runningCandle = (interval: Interval, now: number): number =>
  Math.floor(now / candleLength(interval)) * candleLength(interval);

const firstAvailable = (interval: Interval, reach: number): number =>
  Math.ceil(reach / candleLength(interval) + EDGE) * candleLength(interval);

/** The start of the first candle to request. Older candles are not provided by Kraken, or not stored. */
export const firstRequested = (
  interval: Interval,
  { reach, keptFrom }: Pick<KnownCandles, 'reach' | 'keptFrom'>,
): number =>
  Math.max(firstAvailable(interval, reach), Math.ceil(keptFrom / candleLength(interval)) * candleLength(interval));

/** The spans, from an instant on, in which finished candles are missing. */
export function candleGaps(
  span: Span,
  from: number,
  { now, interval, coverage }: Pick<KnownCandles, 'now' | 'interval' | 'coverage'>,
): Span[] {
  const finished = overlap(span, { from, thru: runningCandle(interval, now) - 1 });
  return finished ? without(finished, coverage) : [];
}

/** Plans at most one call. The response waits for missing candles, but only a moment for the newest one. */
export function planCandles(span: Span, known: KnownCandles): PlannedCandles | undefined {
  const { now, interval, unsettledFrom, reach, fetchedAt } = known;
  if (ageAt(fetchedAt, now) < REQUEST_EVERY) return undefined;
  const length = candleLength(interval);
  const first = firstRequested(interval, known);
  const running = runningCandle(interval, now);
  const gaps = candleGaps(span, first, known);
  const unsettled = unsettledFrom ?? running;
  const isUnsettled = unsettled <= span.thru && isCandleSettled(unsettled, length, now);
  const [gap] = gaps;
  if (!gap && !isUnsettled) return undefined;
  // The call starts at the oldest missing candle of the whole series, so that the next window needs no call.
  const [missing = gap] = candleGaps({ from: first, thru: now }, first, known);
  const oldest = Math.min(missing?.from ?? running, unsettled);
  const from = oldest === firstAvailable(interval, reach) ? undefined : oldest;
  if (!gap) return { from, wait: 'none' };
  const isNewestAlone = gap.from >= running - length && span.from < gap.from;
  return { from, wait: isNewestAlone ? 'moment' : 'end' };
}
