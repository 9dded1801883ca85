import { DAY, startOfDate } from '#core/clock';
import { type Interval, samplesIn } from '#prices/model/interval';
import { INTERVALS } from '#prices/routes-history';

/** The most points of a series in one result. */
export const MOST_POINTS = 500;

/** From fine to coarse. The last two are selected from daily points. */
const COARSER = ['minute', 'hourly', 'daily'] as const;
export type RequestedInterval = (typeof COARSER)[number];
export const SERIES_INTERVALS = [...COARSER, 'weekly', 'monthly'] as const;
export type SeriesInterval = (typeof SERIES_INTERVALS)[number];

/** 1 January 1970 was a Thursday. */
const MONDAY = 4;

/** Identifies the week (from Monday) or the month of an instant. */
const BUCKETS = {
  weekly: (at: number) => Math.floor((startOfDate(at) / DAY - MONDAY) / 7),
  monthly: (at: number) => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth(),
} as const;

type Timed = { at: number };

function inBuckets<Row extends Timed>(rows: readonly Row[], bucketOf: (at: number) => number): Row[][] {
  return [...Map.groupBy(rows, ({ at }) => bucketOf(at)).values()];
}

type Request<Row extends Timed, Facts> = {
  interval: RequestedInterval;
  /** The first and the last instant that can have data, in Unix ms. */
  span: { from: number; thru: number };
  read: (interval: Interval) => Promise<{ rows: Row[]; facts: Facts }>;
  /** Combines the daily rows of a week or month. The last bucket has `isLast`. */
  combine: (rows: Row[], isLast: boolean) => Row[];
};

/** Reads a series at the requested interval, or at the next coarser one that has at most 500 points. */
export async function readSeries<Row extends Timed, Facts>({ interval, span, read, combine }: Request<Row, Facts>) {
  for (const one of COARSER.slice(COARSER.indexOf(interval))) {
    // A finer series is not even read if its window has too many points: a year of minutes has 105,000.
    if (one !== 'daily' && samplesIn(INTERVALS[one], span) > MOST_POINTS) continue;
    const { rows, facts } = await read(INTERVALS[one]);
    if (rows.length <= MOST_POINTS)
      return { rows, facts, interval: one as SeriesInterval, note: noteOf(interval, one) };
    if (one !== 'daily') continue;
    for (const wide of ['weekly', 'monthly'] as const) {
      const buckets = inBuckets(rows, BUCKETS[wide]);
      const combined = buckets.flatMap((bucket, i) => combine(bucket, i === buckets.length - 1));
      if (combined.length <= MOST_POINTS || wide === 'monthly')
        return {
          rows: combined.slice(-MOST_POINTS),
          facts,
          interval: wide as SeriesInterval,
          note: noteOf(interval, wide),
        };
    }
  }
  throw new RangeError('a daily series always ends the loop');
}

const noteOf = (requested: RequestedInterval, given: SeriesInterval): string | undefined =>
  requested === given
    ? undefined
    : `The ${requested} series has more than ${MOST_POINTS} points, so this is the ${given} series. Request a shorter period for finer points.`;
