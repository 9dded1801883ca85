import type { Span } from '#core/clock';
import { CANDLE_INTERVAL_NAMES, CANDLE_INTERVALS, type CandleInterval, candleStart } from '#prices/model/candle';

export const MAX_POINTS = 500;

/** From fine to coarse. Months are only computed here. */
export const SERIES_INTERVALS = [...CANDLE_INTERVAL_NAMES, 'monthly'] as const;
export type SeriesInterval = (typeof SERIES_INTERVALS)[number];

/** Identifies the month, or the start of the interval, of an instant. */
const bucketOf = (interval: SeriesInterval, at: number): number =>
  interval === 'monthly' ? new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth() : candleStart(interval, at);

/**
 * The interval to read: the requested one, or the next coarser one whose window can have at most 500 points.
 * @param readable the intervals of a kind of series, from fine to coarse
 */
export function intervalToRead(
  readable: readonly CandleInterval[],
  requested: CandleInterval,
  spanOf: (interval: CandleInterval) => Span,
): CandleInterval {
  const isShort = (candidate: CandleInterval) => {
    const { from, thru } = spanOf(candidate);
    return (thru - from + 1) / CANDLE_INTERVALS[candidate].length <= MAX_POINTS;
  };
  return readable.slice(readable.indexOf(requested)).find(isShort) ?? (readable.at(-1) as CandleInterval);
}

function startsOf(times: readonly number[], interval: SeriesInterval): number[] {
  const starts: number[] = [];
  let last: number | undefined;
  for (const [i, at] of times.entries()) {
    const bucket = bucketOf(interval, at);
    if (bucket !== last) starts.push(i);
    last = bucket;
  }
  return starts;
}

/**
 * Divides a series into at most 500 buckets: one per point, or one per coarser interval. `starts` contains the position of
 * the first point of each. Leaves room for the last point of all.
 */
export function inBuckets(times: readonly number[], interval: SeriesInterval) {
  if (times.length <= MAX_POINTS) return { interval, starts: times.map((_, i) => i) };
  for (const candidate of SERIES_INTERVALS.slice(SERIES_INTERVALS.indexOf(interval) + 1)) {
    const starts = startsOf(times, candidate);
    if (starts.length < MAX_POINTS) return { interval: candidate, starts };
  }
  const starts = startsOf(times, 'monthly');
  return { interval: 'monthly' as const, starts: starts.slice(1 - MAX_POINTS) };
}

export const noteOf = (requested: SeriesInterval, returned: SeriesInterval): string | undefined =>
  requested === returned
    ? undefined
    : `The ${requested} series has more than ${MAX_POINTS} points, so this is the ${returned} series. Request a shorter period for finer points.`;
