import { CANDLE_INTERVALS, type Token } from '../../client/index.ts';
import { DAY, isoDate } from '../../pages/dates.ts';
import { onDate, span } from '../../pages/format.ts';
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

/** Whether data from the date `first` on covers most of the range, and begins at most one day after it. */
function coversMost(view: Dates, first: string, now: number): boolean {
  const missing = (Date.parse(first) - Date.parse(startOf(view, '', now))) / DAY;
  // The data can begin during the first date, so it covers a range of one day only if it begins before this range.
  return view.range === '1' ? missing < 0 : missing <= Math.min(1, (daysIn(view) - 1) / 2);
}

/** Why the metric does not have an interval in a time range, and which change helps; or an empty text. */
export function intervalFault(view: Ranged, interval: Interval, token: Availability, now: number): string {
  const { metric, range } = view;
  const days = daysIn(view);
  if (metric !== 'candles' && !isPointInterval(interval))
    return `Only candles have this interval.${token.available.candles ? ' Select Candles.' : ''}`;
  if (lengthOf(interval) >= DAY)
    return days > lengthOf(interval) / DAY ? '' : 'The time range is too short for this interval. Select a longer one.';
  const isTooLong = days > maxDays(interval);
  if (range !== 'custom' && interval === defaultInterval(view)) return '';
  const first = firstDate(metric, interval, token);
  if (first === undefined) return 'This interval is not available for the token.';
  // The smaller of the two limits.
  if (isTooLong && maxDays(interval) * DAY <= now - Date.parse(first))
    return `This interval is available for up to ${maxDays(interval)} days. Select a shorter time range.`;
  if (!isTooLong && coversMost(view, first, now)) return '';
  const change = range === 'custom' ? 'later' : 'shorter';
  return `This interval is available from ${onDate(new Date(first))}. Select a ${change} time range.`;
}

export function possibleIntervals(view: Ranged, token: Availability, now: number): Interval[] {
  const names = INTERVALS.map(([interval]) => interval);
  const possible = names.filter((interval) => intervalFault(view, interval, token, now) === '');
  return possible.length > 0 ? possible : ['daily'];
}

/** Why the metric has no data in a range of days, or an empty text. */
export function rangeFault(view: Ranged, token: Availability, now: number): string {
  if (view.metric !== 'candles' || view.range === 'custom') return '';
  const isAvailable = (interval: Interval) => firstDate(view.metric, interval, token) !== undefined;
  if (possibleIntervals(view, token, now).some(isAvailable)) return '';
  return `No candles are available for this time range.${isAvailable('daily') ? ' Select a longer one.' : ''}`;
}

/** `Candles go back 720 days (daily), 30 days (hourly), 2 days (minute).` */
export function candleReach(token: Availability, now: number): string {
  const spans = INTERVALS.filter(([interval]) => isPointInterval(interval)).flatMap(([interval]) => {
    const first = firstDate('candles', interval, token);
    return first === undefined ? [] : [`${span(now - Date.parse(first))} (${interval})`];
  });
  return spans.length > 0 ? `Candles go back ${spans.reverse().join(', ')}.` : '';
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
    [prices, ...others.map(({ available }) => available.prices)]
      .map((dates) => dates[interval])
      .sort()
      .at(-1) ?? '';
  return { available: { prices: { minute: latest('minute'), hour: latest('hour'), day: latest('day') }, candles } };
}

export type DateRange = { from: string; thru: string };

const dateOf = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** Returns preset UTC date ranges, limited to the dates from `first` (YYYY-MM-DD) to today, without empty ranges. */
export function datePresets(first: string, now: number): [label: string, range: DateRange][] {
  const today = new Date(now);
  const year = today.getUTCFullYear();
  const month = today.getUTCMonth();
  const day = today.getUTCDate();
  const spans: [string, string, string][] = [
    ['Yesterday', dateOf(year, month, day - 1), dateOf(year, month, day - 1)],
    ['This month', dateOf(year, month, 1), dateOf(year, month + 1, 0)],
    ['Last month', dateOf(year, month - 1, 1), dateOf(year, month, 0)],
    ['This year', dateOf(year, 0, 1), dateOf(year, 11, 31)],
    ['Last year', dateOf(year - 1, 0, 1), dateOf(year - 1, 11, 31)],
  ];
  const last = dateOf(year, month, day);
  return spans
    .map(([label, from, thru]): [string, DateRange] => [
      label,
      { from: from < first ? first : from, thru: thru > last ? last : thru },
    ])
    .filter(([, { from, thru }]) => from <= thru);
}
