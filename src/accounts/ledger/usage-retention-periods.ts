import { DAY, startOfDate } from '#core/clock';
import { parseDuration } from '#core/duration';

/** Users see their calls of the newest 31 dates. */
const LEAST = 31 * DAY;

/** Reads how long the calls of a date are kept, in ms. Throws `RangeError` with the form that is wanted. */
export function parseUsageRetention(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined || duration < LEAST)
    throw new RangeError('must be like 400d (a whole number of d or h), at least 31d');
  return duration;
}

/** The first date whose calls are kept (its start, Unix ms): a date is kept so long after its own end. */
export const firstKeptDate = (retention: number, now: number): number => startOfDate(now - retention);
