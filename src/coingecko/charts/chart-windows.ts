import { DAY, isoDate, MINUTE, SECOND, startOfDate } from '#core/clock';
import { invalidRequest } from '#core/problems';
import { daysWindow, type Interval, type Window } from '#prices/model/interval';

/** The intervals of `interval`; undefined for the interval that CoinGecko chooses. */
export const CHART_INTERVALS = { auto: undefined, daily: 'day', hourly: 'hour', '5m': 'minute' } as const;
export type ChartInterval = keyof typeof CHART_INTERVALS;

/** The longest chart of hours, and of five minutes, in days. */
const LONGEST: Readonly<Record<Interval, number>> = { minute: 10, hour: 100, day: Number.POSITIVE_INFINITY };
/** The longest chart of hours without `interval`, in days. */
const HOURLY_DAYS = 90;
/** A range that ends this recently, in ms, ends now. */
const RECENT = 5 * MINUTE;

const faulty = (location: string, message: string, fix: string) => invalidRequest({ location, message, fix });

function checked(interval: Interval, days: number): Interval {
  if (days > LONGEST[interval])
    throw faulty('interval', `covers at most ${LONGEST[interval]} days`, 'request fewer days, or interval=daily');
  return interval;
}

/** Days of history, or all. A fraction is rounded up. */
export function parseDays(text: string): number | 'max' | undefined {
  if (text === 'max') return text;
  return /^\d{1,5}(\.\d{1,20})?$/.test(text) && Number(text) > 0 ? Math.ceil(Number(text)) : undefined;
}

/** The window of the last days. `beginning` is the first instant with known data. All instants are in Unix ms. */
export function lastDays(days: number | 'max', chosen: ChartInterval, beginning: number, now: number): Window {
  const count = days === 'max' ? Math.ceil((startOfDate(now) - startOfDate(beginning)) / DAY) + 1 : days;
  const automatic = count === 1 ? 'minute' : count <= HOURLY_DAYS ? 'hour' : 'day';
  const interval = checked(CHART_INTERVALS[chosen] ?? (days === 'max' ? 'day' : automatic), count);
  if (interval === 'day') {
    // A window that begins with the token has no gaps before it.
    const { span, ...window } = daysWindow(Math.max(11, count), now);
    const from = startOfDate(now) - (count - 1) * DAY;
    return { ...window, span: { ...span, from: days === 'max' ? Math.max(from, startOfDate(beginning)) : from } };
  }
  return { interval, span: { from: now - count * DAY, thru: now }, open: true, withLatest: interval === 'hour' };
}

/** Unix seconds, Unix milliseconds (more than 11 digits), or an ISO date or time in UTC. Returns Unix ms. */
export function parseTime(text: string): number | undefined {
  const [, digits] = /^(\d{1,15})(?:\.\d{1,9})?$/.exec(text) ?? [];
  if (digits !== undefined) return Math.floor(Number(text) * (digits.length > 11 ? 1 : SECOND));
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text)) return undefined;
  // `Date.parse` reads 30 February as 2 March.
  const date = text.slice(0, 10);
  const midnight = Date.parse(date);
  if (Number.isNaN(midnight) || isoDate(midnight) !== date) return undefined;
  const at = Date.parse(text.length === 10 || /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** The window between two instants. A range that ends now includes the newest sample. */
export function windowBetween(from: number, to: number, chosen: ChartInterval, now: number): Window {
  if (from > to) throw faulty('from', 'must not be after to', 'a time before to');
  const thru = Math.min(to, now);
  const open = to >= now - RECENT;
  const days = (thru - from) / DAY;
  const automatic = days <= 1 && open ? 'minute' : days <= HOURLY_DAYS ? 'hour' : 'day';
  const interval = checked(CHART_INTERVALS[chosen] ?? automatic, days);
  return { interval, span: { from, thru: Math.max(from, thru) }, open, withLatest: open && interval !== 'minute' };
}
