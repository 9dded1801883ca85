import { CANDLE_INTERVALS, type Gap, type Token } from '../../client/index.ts';
import { DAY, isoDate } from '../../pages/dates.ts';
import { byId } from '../../pages/dom.ts';
import { onDate, onDateAt } from '../../pages/format.ts';
import type { Interval, PointInterval } from '../api/api-call.ts';

export const INTERVALS: readonly (readonly [Interval, string])[] = CANDLE_INTERVALS.map(({ name, title }) => [
  name,
  title,
]);

const factsOf = (interval: Interval) =>
  CANDLE_INTERVALS.find(({ name }) => name === interval) as (typeof CANDLE_INTERVALS)[number];

/** The time between points, and the length of a candle, in ms. */
export const lengthOf = (interval: Interval): number => factsOf(interval).length;

const POINT_INTERVALS: readonly Interval[] = ['minute', 'hourly', 'daily'] satisfies PointInterval[];
export const isPointInterval = (interval: Interval): interval is PointInterval => POINT_INTERVALS.includes(interval);
export const isOffered = (metric: string, interval: Interval): boolean =>
  metric === 'candles' || isPointInterval(interval);

/** About as many points as a wide screen has pixels: a week of five minutes, 92 days of hours. */
const MAX_POINTS = 2_208;
const maxDays = (interval: Interval): number =>
  lengthOf(interval) < DAY ? Math.floor((MAX_POINTS * lengthOf(interval)) / DAY) : Number.POSITIVE_INFINITY;
/** Custom ranges of up to this many days are hourly by default. */
const HOURLY_DAYS = 10;

/** `range` is a number of days up to now, or `custom` with two dates (YYYY-MM-DD). */
type Dates = Readonly<{ range: string; from: string; thru: string }>;
export type Ranged = Dates & Readonly<{ metric: string }>;
export type Availability = Pick<Token, 'available'>;

const daysIn = ({ range, from, thru }: Dates): number =>
  range === 'custom' ? (Date.parse(thru) - Date.parse(from)) / DAY + 1 : Number(range);

export function defaultInterval(dates: Dates): Interval {
  const { range } = dates;
  if (range === '1') return 'minute';
  if (range === '7') return 'hourly';
  return range === 'custom' && daysIn(dates) <= HOURLY_DAYS ? 'hourly' : 'daily';
}

/** Returns the first date with data (YYYY-MM-DD), or undefined if the metric is not available at the interval. */
export const firstDate = (metric: string, interval: Interval, { available }: Availability): string | undefined =>
  (metric === 'candles' ? available.candles : available.prices)?.[factsOf(interval).stored] ?? undefined;

export const earliestDate = (metric: string, token: Availability): string | undefined =>
  INTERVALS.flatMap(([interval]) => firstDate(metric, interval, token) ?? [])
    .sort()
    .at(0);

export const startOf = ({ range, from }: Dates, listed: string, now: number): string => {
  if (range === 'custom') return from;
  return range === '36500' ? listed : isoDate(now - Number(range) * DAY);
};

export function possibleIntervals(view: Ranged, token: Availability, now: number): Interval[] {
  const days = daysIn(view);
  const isPossible = (interval: Interval): boolean => {
    if (!isOffered(view.metric, interval)) return false;
    if (lengthOf(interval) >= DAY) return days > lengthOf(interval) / DAY;
    if (days > maxDays(interval)) return false;
    if (view.range !== 'custom' && interval === defaultInterval(view)) return true;
    const first = firstDate(view.metric, interval, token);
    if (first === undefined) return false;
    // The data can begin during the first available date, so a range of days must begin after that date.
    return view.range === 'custom' ? first <= view.from : first < startOf(view, '', now);
  };
  const possible = INTERVALS.map(([interval]) => interval).filter(isPossible);
  return possible.length > 0 ? possible : ['daily'];
}

/** Returns the chosen interval if possible, otherwise the default if possible, otherwise the coarsest interval. */
export function intervalFor(view: Ranged, chosen: Interval | undefined, token: Availability, now: number): Interval {
  const possible = possibleIntervals(view, token, now);
  const wanted = [chosen, defaultInterval(view), 'daily' as const].find(
    (one) => one !== undefined && possible.includes(one),
  );
  return wanted ?? possible.at(-1) ?? 'daily';
}

/** Returns the dates from which all tokens are available: for each interval, the latest of their first dates. */
export function commonAvailability(token: Availability, others: readonly Availability[]): Availability {
  const { prices, candles } = token.available;
  const latest = (interval: keyof typeof prices) =>
    others.reduce((date, { available }) => {
      const other = available.prices[interval];
      return other > date ? other : date;
    }, prices[interval]);
  return { available: { prices: { minute: latest('minute'), hour: latest('hour'), day: latest('day') }, candles } };
}

export function openGapNote() {
  const note = byId('chart-gaps');
  /** Without a title, the gaps are those of the only token. */
  return (missing: readonly { title: string; gaps: readonly Gap[] }[]): void => {
    // Gaps of daily points are given as dates; gaps of finer points are given as times.
    const format = (text: string) => (text.includes('T') ? onDateAt : onDate)(new Date(text));
    const parts = missing
      .filter(({ gaps }) => gaps.length > 0)
      .map(({ title, gaps }) => {
        const spans = gaps.map(({ from, thru }) => `${format(from)} to ${format(thru)}`);
        return `${title && `${title}: `}${spans.join('; ')}`;
      });
    note.hidden = parts.length === 0;
    note.textContent = `No data for ${parts.join('; ')}. The source does not provide older data or is unavailable.`;
  };
}
