import { type Clock, HOUR, isoDate, MINUTE, overlap, SECOND, type Span, subtractSpans, union } from '#core/clock';
import { Problem } from '#core/problems';
import { currencyText, type Valuation, withRates } from '#prices/currencies/valuation';
import { fileName } from '#prices/history/series-text';
import type { ArchiveCache } from '#prices/latest/latest-cache';
import {
  type CandleColumns,
  type CandleWindow,
  candleLength,
  factsOfCandleInterval,
  isStored,
} from '#prices/model/candle';
import { type Interval, spanText, type Window } from '#prices/model/interval';
import { keptFrom, type Retention } from '#prices/model/market-sources';
import { retryPause } from '#prices/model/missing-samples';
import { firstUnsettled, wholeOf } from '#prices/model/series';
import type { OpenedExchange } from '#prices/sources/open-exchange';
import { UpstreamFailure, upstreamProblem } from '#upstream/failures/failure';
import type { FetchOutcome } from '#upstream/fetch-runner';
import { ageAt, type Wait } from '#upstream/freshness';
import { type CandleCache, candleFetch } from './candle-cache.ts';
import type { CandleSeries } from './candle-store.ts';

type Deps = {
  source: Pick<OpenedExchange, 'name' | 'title' | 'reach'>;
  cache: CandleCache;
  archive: Pick<ArchiveCache, 'beginning'>;
  retention: Retention;
  clock: Clock;
};

type ServedCandles = { stored: CandleColumns; columns: CandleColumns; gaps: readonly Span[] };

export const candleBounds = ({ source, retention }: Deps, interval: Interval, now: number) => ({
  reach: source.reach(interval, now),
  keptFrom: keptFrom(retention, source.name, now),
});

/** The first instant that can have candles: the start of the token's prices, or an older stored candle. */
export const candleBeginning = ({ archive, cache }: Deps, { token, interval }: CandleSeries): number =>
  Math.min(archive.beginning(token), cache.first(token, interval) ?? Number.POSITIVE_INFINITY);

const gapsFrom = ({ cache, clock }: Deps, from: number, { token, interval }: CandleSeries, span: Span) =>
  candleGaps(span, from, { now: clock.now(), interval, coverage: cache.coverage(token, interval) });

const newestFinished = ({ clock }: Deps, interval: Interval): number =>
  runningCandle(interval, clock.now()) - candleLength(interval);

/** The missing parts of a window, except the newest candle of an open window, which may not exist yet. */
export function missingIn(deps: Deps, series: CandleSeries, { span, open }: Pick<Window, 'span' | 'open'>): Span[] {
  const gaps = gapsFrom(deps, candleBeginning(deps, series), series, span);
  return open ? gaps.filter(({ from }) => from < newestFinished(deps, series.interval)) : gaps;
}

/** `gaps` are the missing candles of the window's interval, if this interval is not stored. */
export function nothingToServe(deps: Deps, series: CandleSeries, window: Window, failure: unknown, gaps?: string[]) {
  const { source, cache, clock } = deps;
  const spans = missingIn(deps, series, window);
  const members = { gaps: gaps ?? spans.map((span) => spanText(series.interval, span)) };
  // An exchange may list a delisted pair again, so only a token without a configured pair has no data.
  const isUnlisted = failure instanceof UpstreamFailure && failure.reason === 'not_listed';
  if (isUnlisted && failure.retryAfter === undefined)
    return new Problem('no_data', `${source.title} does not trade this token for US dollars.`, { cause: failure });
  if (failure) return upstreamProblem(failure, { who: source.title, members });
  const [first] = spans;
  if (!first) return new Problem('no_data', 'The requested period contains no finished candle for this token.');
  const oldest = firstRequested(series.interval, candleBounds(deps, series.interval, clock.now()));
  if (spans.every(({ thru }) => thru < oldest)) {
    const available = isoDate(Math.min(oldest, cache.first(series.token, series.interval) ?? oldest));
    const detail =
      `Neither ${source.title} nor the archive has candles with this interval for the requested period. Candles are ` +
      `available from ${available}.`;
    return new Problem('no_data', detail, { members });
  }
  const detail = `The archive has no candles for the requested period, and ${source.title} does not provide them yet.`;
  return new Problem('upstream_unavailable', detail, { retryAfter: HOUR / SECOND, members });
}

/** Whether a candle lacks only the newest stored candle of its span, which may not exist yet. */
const isAwaited = (deps: Deps, series: CandleSeries, { interval, open }: Window, span: Span): boolean =>
  open && span.thru > newestFinished(deps, interval) && missingIn(deps, series, { span, open }).length === 0;

export function candleFacts(
  deps: Deps,
  series: CandleSeries,
  window: CandleWindow,
  { stored, columns, gaps: uncovered }: ServedCandles,
  outcome: FetchOutcome,
  valuation?: Valuation,
) {
  const { source, cache, clock } = deps;
  const now = clock.now();
  const servedSpan = overlap(window.span, { from: candleBeginning(deps, series), thru: now });
  const unvalued = servedSpan && valuation ? valuation.missing(servedSpan) : [];
  const { length: servedLength } = factsOfCandleInterval(window.candles);
  const spans = isStored(window)
    ? [...missingIn(deps, series, window), ...unvalued]
    : uncovered
        .filter((span) => !isAwaited(deps, series, window, span))
        .flatMap((span) => overlap(span, servedSpan ?? span) ?? []);
  const gaps = union(spans).map((span) => spanText(series.interval, span));
  const lastAt = stored.at.at(-1) ?? window.span.from;
  const newest = newestFinished(deps, series.interval);
  const isBehind = window.open && gapsFrom(deps, 0, series, { from: newest, thru: now }).length > 0;
  const fetchedAt = cache.fetchedAt(candleFetch(series));
  return {
    fileName: fileName([series.token, 'candles'], window, valuation?.currency),
    source: source.name,
    ...(valuation && { currency: currencyText(valuation) }),
    modifiedAt: (columns.at.at(-1) ?? window.span.from) + servedLength,
    fetchedAt: window.open ? fetchedAt : undefined,
    dueAt: isBehind ? now : newest + 2 * candleLength(series.interval),
    isImmutable:
      !window.open &&
      gaps.length === 0 &&
      firstUnsettled(wholeOf(stored)) === undefined &&
      (valuation?.isSettled(lastAt) ?? true),
    gaps,
    outcome: withRates(outcome, valuation?.outcome),
  };
}

/** How long after its end a candle becomes final, in ms. Younger candles have been observed to change. */
const SETTLES_AFTER = HOUR;
/** The delay before the next request, in ms. The newest candle may be available slightly late. */
const REQUEST_EVERY = MINUTE;
/** The number of oldest candles that are not requested, because the exchange may drop them before it responds. */
const EDGE = 2;

/** The stored and requested candles of a token and an interval as of `now`. Instants in Unix ms. */
type KnownCandles = {
  now: number;
  interval: Interval;
  coverage: readonly Span[];
  /** The start of the first candle that may still change and can be requested (`firstRequested`). */
  unsettledFrom: number | undefined;
  /** The spans for which the exchange has returned no candles, and the time since when candles have been missing. */
  missing: readonly Span[];
  missingSince: number | undefined;
  reach: number;
  keptFrom: number;
  fetchedAt: number | undefined;
};

/** `from` is the start of the first candle to fetch (all if undefined). `wait` is how long the response waits. */
type PlannedCandles = { from: number | undefined; wait: Wait };

export const isCandleSettled = (at: number, length: number, fetchedAt: number): boolean =>
  fetchedAt >= at + length + SETTLES_AFTER;

const runningCandle = (interval: Interval, now: number): number =>
  Math.floor(now / candleLength(interval)) * candleLength(interval);

const firstAvailable = (interval: Interval, reach: number): number =>
  Math.ceil(reach / candleLength(interval) + EDGE) * candleLength(interval);

/** The start of the first candle to request. Older candles are either not provided or not stored. */
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
  return finished ? subtractSpans(finished, coverage) : [];
}

/** Plans at most one call. The response waits for missing candles, but only briefly for the newest candle. */
export function planCandles(span: Span, known: KnownCandles): PlannedCandles | undefined {
  const { now, interval, unsettledFrom, reach, fetchedAt } = known;
  if (ageAt(fetchedAt, now) < REQUEST_EVERY) return undefined;
  const length = candleLength(interval);
  const first = firstRequested(interval, known);
  const running = runningCandle(interval, now);
  const isRetryDue = ageAt(fetchedAt, now) >= retryPause(known.missingSince, fetchedAt);
  const gaps = candleGaps(span, first, known).flatMap((gap) => (isRetryDue ? gap : subtractSpans(gap, known.missing)));
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
