import { DAY, type Span, startOfDate, union } from '#core/clock';
import { placeOf } from '#prices/model/series';

/**
 * How long a rate remains valid without a successor, in ms. Holidays and weekends last at most five days. After a
 * longer pause, the currency was discontinued or not quoted.
 */
export const HOLDS = 10 * DAY;

/**
 * The rates of one currency. A rate is valid until the next rate, including weekends and holidays. If the next rate is
 * more than ten days away, the rate is valid on its own date only. The last rate remains valid unless other currencies'
 * rates are more than ten days newer.
 * @param rows date (Unix ms of its midnight, UTC) and units per euro, ascending
 * @param newest the newest date with any rate
 */
export function createRateSeries(rows: readonly (readonly [date: number, rate: number])[], newest: number) {
  const dates = rows.map(([date]) => date);
  const rates = rows.map(([, rate]) => rate);
  const last = dates.at(-1);
  const hasEnded = last !== undefined && newest - last > HOLDS;
  const spans = union(
    dates.map((from, i): Span => {
      const next = dates[i + 1] ?? (hasEnded ? Number.NaN : Number.POSITIVE_INFINITY);
      const holds = next === Number.POSITIVE_INFINITY || next - from <= HOLDS;
      return { from, thru: (holds ? next : from + DAY) - 1 };
    }),
  );

  return {
    /** The spans with a valid rate. */
    spans: spans as readonly Span[],
    /** The date of the last rate, if rates are no longer published. */
    endedOn: hasEnded ? last : undefined,
    /** The date of the last rate, if further rates are published. */
    awaitedFrom: hasEnded ? undefined : last,

    at(instant: number): { rate: number; on: number } | undefined {
      if (!spans.some(({ from, thru }) => from <= instant && instant <= thru)) return undefined;
      const place = placeOf(dates, startOfDate(instant) + DAY) - 1;
      return { rate: rates[place] as number, on: dates[place] as number };
    },
  };
}

export type RateSeries = ReturnType<typeof createRateSeries>;
