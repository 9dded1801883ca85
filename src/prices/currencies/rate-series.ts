import { DAY, startOfDate } from '#core/clock';
import { type Span, union } from '#core/span';
import { placeOf } from '#prices/model/series';

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
