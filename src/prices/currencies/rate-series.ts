import { DAY, HOUR, MINUTE, type Span, startOfDate, union } from '#core/clock';
import { placeOf } from '#prices/model/series';
import { ageAt, type Wait } from '#upstream/freshness';
import { FIRST_BLOCK } from '#upstream/plausible';

/**
 * Holidays and weekends together are five days at most: a rate that none follows for longer has ended, or its currency
 * was not quoted for a while.
 */
export const HOLDS = 10 * DAY;

/**
 * The rates of one currency. A rate holds until the next is published, over weekends and holidays; one that no other
 * follows for ten days, for its own date alone. The last one holds on, unless others have been published without it.
 *
 * @param rows date (Unix ms of its midnight, UTC) and units for one euro, ascending
 * @param newest the newest date of which any rate is known
 */
export function createRateSeries(rows: readonly (readonly [date: number, rate: number])[], newest: number) {
  const dates = rows.map(([date]) => date);
  const rates = rows.map(([, rate]) => rate);
  const last = dates.at(-1);
  const isOver = last !== undefined && newest - last > HOLDS;
  const known = union(
    dates.map((from, i): Span => {
      const next = dates[i + 1] ?? (isOver ? Number.NaN : Number.POSITIVE_INFINITY);
      const holds = next === Number.POSITIVE_INFINITY || next - from <= HOLDS;
      return { from, thru: (holds ? next : from + DAY) - 1 };
    }),
  );

  return {
    /** The spans of which there is a rate, ascending; the last may have no end. */
    known: known as readonly Span[],

    /** The date of its last rate, when it has ended. */
    endedOn: isOver ? last : undefined,

    /** The rate that an instant is converted with, and the date that it was published for. */
    at(instant: number): { rate: number; on: number } | undefined {
      if (!known.some(({ from, thru }) => from <= instant && instant <= thru)) return undefined;
      const place = placeOf(dates, startOfDate(instant) + DAY) - 1;
      return { rate: rates[place] as number, on: dates[place] as number };
    },
  };
}

export type RateSeries = ReturnType<typeof createRateSeries>;

/**
 * When the rates of a date are out, in ms from its midnight (UTC): about 16:00 in Frankfurt, which is 14:00 in summer. In
 * winter a first look is in vain, and the next one is an hour later.
 */
const PUBLISHED_AFTER = 14 * HOUR + 10 * MINUTE;

const isWeekend = (date: number): boolean => [0, 6].includes(new Date(date).getUTCDay());

/** The last weekday that is not after a date. */
const weekdayUpTo = (date: number): number => (isWeekend(date) ? weekdayUpTo(date - DAY) : date);

/** What is known of the rates: from when on they were fetched, the newest date that has any, and when they last were; Unix ms. */
export type KnownRates = {
  from: number | undefined;
  newest: number | undefined;
  fetchedAt: number | undefined;
};

/**
 * The one call that brings the rates for a time from an instant on, if one is needed: all from its `from` on. What is
 * missing of days that are over is waited for. Rates that may be out by now are asked for once an hour, and less and less
 * often where they stay away, as on a holiday.
 */
export function planRates(
  instant: number,
  { from, newest, fetchedAt }: KnownRates,
  now: number,
): { from: number; wait: Wait } | undefined {
  // Whole years, so that there are not many such calls.
  const needed = new Date(Math.max(FIRST_BLOCK, instant) - HOLDS).getUTCFullYear();
  const first = Date.UTC(needed, 0, 1);
  if (from === undefined || first < from) return { from: first, wait: 'end' };
  const expected = weekdayUpTo(startOfDate(now - PUBLISHED_AFTER));
  if (newest !== undefined && newest >= expected) return undefined;
  const pause = Math.max(HOUR, (fetchedAt ?? 0) - (expected + PUBLISHED_AFTER));
  if (ageAt(fetchedAt, now) < pause) return undefined;
  const isPastMissing = newest === undefined || newest < weekdayUpTo(startOfDate(now) - DAY);
  return { from: newest === undefined ? from : newest + DAY, wait: isPastMissing ? 'end' : 'none' };
}
