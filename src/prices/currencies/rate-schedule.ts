import { DAY, HOUR, MINUTE, startOfDate } from '#core/clock';
import { ageAt, type Wait } from '#upstream/freshness';
import { FIRST_BLOCK } from '#upstream/items/plausible';
import { HOLDS } from './rate-validity.ts';

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
