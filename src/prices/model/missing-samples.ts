import { DAY, HOUR, MINUTE, type Span, subtractSpans } from '#core/clock';
import { type CandleColumns, candleLength, type StoredCandle } from './candle.ts';
import { type Interval, isGap } from './interval.ts';
import { MARKET_SOURCES, type MarketSourceName } from './market-sources.ts';
import type { PointSeries, Series } from './series.ts';

/**
 * The spacing of rows. Each row fills its slot, or `around` ms on both sides if rows have no slots. No row is missing
 * between rows that are at most `maxApart` ms apart. All values are in ms.
 */
type Spacing = { slot: number; around: number; maxApart: number };

/**
 * CoinGecko's five-minute samples are up to 527 s apart, and its hourly samples up to 6682 s, so that some hours have
 * no sample. If one sample of an hourly series is missing, its neighbours are about two hours apart.
 */
const SAMPLES: Readonly<Record<Interval, Spacing>> = {
  minute: { slot: 0, around: 5 * MINUTE, maxApart: 15 * MINUTE - 1 },
  hour: { slot: HOUR, around: 0, maxApart: 115 * MINUTE },
  day: { slot: DAY, around: 0, maxApart: 0 },
};

const startOf = ({ slot, around }: Spacing, at: number): number =>
  slot > 0 ? Math.floor(at / slot) * slot : at - around;

const endOf = ({ slot, around }: Spacing, at: number): number =>
  slot > 0 ? (Math.floor(at / slot) + 1) * slot : at + around;

/** Ascending times (Unix ms). `isCounted` excludes some of them. */
type Times = { times: ArrayLike<number>; start: number; end: number; isCounted?: (place: number) => boolean };

/** The parts of a span without rows. A loop, because iterators take several times as long. */
function missingBetween(
  spacing: Spacing,
  { from, thru }: Span,
  { times, start: first, end, isCounted }: Times,
): Span[] {
  const missing: Span[] = [];
  if (from > thru) return missing;
  let last = from - 1;
  let filledUntil = from;
  for (let place = first; place < end; place++) {
    const at = times[place] as number;
    if (at < from || at > thru || isCounted?.(place) === false) continue;
    const start = startOf(spacing, at);
    if (at - last > spacing.maxApart && start > filledUntil) missing.push({ from: filledUntil, thru: start - 1 });
    last = at;
    filledUntil = endOf(spacing, at);
  }
  const isEmpty = last < from;
  if ((isEmpty || thru + 1 - last > spacing.maxApart) && filledUntil <= thru) missing.push({ from: filledUntil, thru });
  return missing;
}

const missingIn = (interval: Interval, span: Span, times: Times): Span[] =>
  missingBetween(SAMPLES[interval], span, times).filter((missing) => isGap(interval, missing));

/** The parts of a span in which samples are missing, in ascending order. */
export const missingSamples = (interval: Interval, span: Span, times: readonly number[]): Span[] =>
  missingIn(interval, span, { times, start: 0, end: times.length });

/** Like `missingSamples`, but only for the prices of a source and of the sources that are preferred to it. */
export function missingPoints(interval: Interval, span: Span, points: PointSeries, from?: MarketSourceName): Span[] {
  const { columns, start, end } = points.slice(span.from, span.thru);
  const { at: times, price, source } = columns;
  const least = from === undefined ? MARKET_SOURCES.length : MARKET_SOURCES.indexOf(from);
  const isCounted = (i: number) => (source[i] as number) <= least && !Number.isNaN(price[i]);
  return missingIn(interval, span, { times, start, end, isCounted });
}

type CandleSeries = Series<CandleColumns, StoredCandle>;

/** The parts of a span without candles, after its first candle. A pair has no candles before its listing. */
export function missingCandles(interval: Interval, span: Span, candles: CandleSeries): Span[] {
  const { columns, start, end } = candles.all();
  const first = start < end ? (columns.at[start] as number) : Number.POSITIVE_INFINITY;
  const listed = { from: Math.max(span.from, first), thru: span.thru };
  const { columns: rows, ...places } = candles.slice(listed.from, listed.thru);
  const spacing = { slot: candleLength(interval), around: 0, maxApart: 0 };
  return missingBetween(spacing, listed, { times: rows.at, ...places });
}

const FIRST_RETRY = HOUR;
const LONGEST_RETRY = 7 * DAY;

/**
 * The pause in ms before missing rows are requested again. It doubles with each request, because it is the time between
 * the first and the last request. Undefined times count as long past.
 */
export function retryPause(missingSince: number | undefined, fetchedAt: number | undefined): number {
  const missingFor = missingSince === undefined || fetchedAt === undefined ? 0 : fetchedAt - missingSince;
  return Math.min(LONGEST_RETRY, Math.max(FIRST_RETRY, missingFor));
}

/** Whether the longest pause has been reached. The source is then assumed not to have the samples. */
export const isGivenUp = (missingSince: number | undefined, fetchedAt: number | undefined): boolean =>
  retryPause(missingSince, fetchedAt) === LONGEST_RETRY;

/** Whether samples are missing that were not missing before, or for which no time is stored yet (`since`, Unix ms). */
export const isNewlyMissing = (missing: readonly Span[], before: readonly Span[], since: number | undefined): boolean =>
  missing.some((span) => subtractSpans(span, before).length > 0) || (missing.length > 0 && since === undefined);
