import { DAY, HOUR, MINUTE, type Span, startOfDate, union } from '#core/clock';
import { placeOf } from '#prices/model/series';
import { ageAt, type Wait } from '#upstream/freshness';
import { FIRST_BLOCK } from '#upstream/items/plausible';

/** How long a rate is valid without a successor, in ms. Weekends and holidays last at most five days. */
const HOLDS = 10 * DAY;

/**
 * The rates of one currency. Each rate is valid until the next rate. If the next rate is more than ten days later, the
 * rate is valid only on its own date. The last rate stays valid unless other currencies' rates are more than ten days
 * newer (`newest`). `rows` are ascending: a date (Unix ms of its midnight, UTC), and units per euro.
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

/** In ms from midnight (UTC): about 16:00 in Frankfurt. In winter, the first request is an hour early. */
const PUBLISHED_AFTER = 14 * HOUR + 10 * MINUTE;
const isWeekend = (date: number): boolean => [0, 6].includes(new Date(date).getUTCDay());
const weekdayUpTo = (date: number): number => (isWeekend(date) ? weekdayUpTo(date - DAY) : date);

/** How far each request overlaps the stored rates, in ms. The overlap adds rates that earlier responses lacked. */
const OVERLAP = 92 * DAY;

/** The fetched rates in Unix ms: their first date, the newest date with any rate, and the time of the last fetch. */
export type KnownRates = { from: number | undefined; newest: number | undefined; fetchedAt: number | undefined };

/** Plans the call for rates from an instant on, if needed. On a holiday, the interval between calls grows. */
export function planRates(
  instant: number,
  { from, newest, fetchedAt }: KnownRates,
  now: number,
): { from: number; wait: Wait } | undefined {
  // Requesting whole years limits the number of such calls.
  const needed = new Date(Math.max(FIRST_BLOCK, instant) - HOLDS).getUTCFullYear();
  const first = Date.UTC(needed, 0, 1);
  if (from === undefined || first < from) return { from: first, wait: 'end' };
  const expected = weekdayUpTo(startOfDate(now - PUBLISHED_AFTER));
  if (newest !== undefined && newest >= expected) return undefined;
  const pause = Math.max(HOUR, (fetchedAt ?? 0) - (expected + PUBLISHED_AFTER));
  if (ageAt(fetchedAt, now) < pause) return undefined;
  const isPastMissing = newest === undefined || newest < weekdayUpTo(startOfDate(now) - DAY);
  // Stored rates do not change.
  return { from: newest === undefined ? from : Math.max(from, newest - OVERLAP), wait: isPastMissing ? 'end' : 'none' };
}
