import type { Candle, Gap, PriceSeries, QuotientError, Token } from '../../client/index.ts';
import { DAY, isoDate } from '../../pages/dates.ts';
import { onDate } from '../../pages/format.ts';
import { type ApiCall, candlesCall, daysCall, type Interval, rangeCall, type TokenName } from '../api/api-call.ts';
import { bigMoney, money } from '../core/currency.ts';
import type { Comparison, Mode } from './comparison.ts';
import {
  type DateRange,
  defaultInterval,
  earliestDate,
  firstDate,
  isPointInterval,
  lengthOf,
  startOf,
} from './intervals.ts';

export const METRICS = [
  ['prices', 'Price'],
  ['candles', 'Candles'],
  ['market_cap', 'Market cap'],
  ['total_volume', 'Volume'],
] as const;
type Metric = (typeof METRICS)[number][0];

export const RANGES = [
  ['1', '1D'],
  ['7', '7D'],
  ['30', '30D'],
  ['90', '90D'],
  ['365', '1Y'],
  ['36500', 'All'],
  ['custom', 'Custom'],
] as const;
type Range = (typeof RANGES)[number][0];

export const SCALES = ['linear', 'log'] as const;

export type HistoryView = {
  token: TokenName;
  currency: string;
  metric: Metric;
  range: Range;
  scale: (typeof SCALES)[number];
  /** The tokens whose lines the chart shows besides that of `token`. */
  compare: readonly TokenName[];
  mode: Mode;
  interval: Interval;
  listed: string;
  /** The first and last date (YYYY-MM-DD) of a custom range. Both are empty for other ranges. */
  from: string;
  thru: string;
};

export const DEFAULT_VIEW: HistoryView = {
  token: 'bitcoin',
  currency: 'usd',
  metric: 'prices',
  range: '30',
  scale: 'linear',
  compare: [],
  mode: 'indexed',
  interval: 'daily',
  listed: '',
  from: '',
  thru: '',
};

export type History = PriceSeries | Candle[];
export type Points = PriceSeries['prices'];

/** For candles, `points` are the closing prices. For several tokens, they have the dates of the comparison. */
export type Drawn = {
  view: HistoryView;
  points: Points;
  candles: readonly Candle[] | undefined;
  comparison?: Comparison | undefined;
};

/** `20 Nov 2026 to 21 Nov 2026`, or one date if both are equal. */
export const datesInWords = (from: Date, thru: Date): string =>
  onDate(from) === onDate(thru) ? onDate(from) : `${onDate(from)} to ${onDate(thru)}`;

export function rangeInWords({ range, from, thru }: Pick<HistoryView, 'range' | 'from' | 'thru'>): string {
  if (range === 'custom') return datesInWords(new Date(from), new Date(thru));
  if (range === '36500') return 'all available data';
  return range === '1' ? 'last 24 hours' : `last ${range} days`;
}

export const metricTitle = (metric: Metric) => METRICS.find(([name]) => name === metric)?.[1] ?? metric;
export const metricInWords = (metric: Metric) => metricTitle(metric).toLowerCase();

export const hasCandles = ({ endpoints }: Token) => endpoints.some((path) => path.endsWith('/history/ohlc'));

/** Only lines can be compared. */
export const isComparable = (metric: Metric) => metric === 'prices' || metric === 'market_cap';

/** Why the metric cannot be shown for the tokens, and which change helps; or an empty text. */
export function metricFault(metric: Metric, [token, ...others]: readonly Token[]): string {
  if (metric === 'candles' && token && !hasCandles(token)) return `No candles are available for ${token.title}.`;
  if (others.length === 0 || isComparable(metric)) return '';
  return `Only prices and market caps can be compared. Remove all tokens except ${token?.title}.`;
}

/** Volumes are bars from zero, which a log scale cannot show. */
export const hasLogScale = ({ metric }: Pick<HistoryView, 'metric'>) => metric !== 'total_volume';
export const isLog = (view: Pick<HistoryView, 'metric' | 'scale'>) => view.scale === 'log' && hasLogScale(view);

/** `history/days` supports one interval for each number of days. */
const isByDays = (view: HistoryView) =>
  view.metric !== 'candles' && view.range !== 'custom' && view.interval === defaultInterval(view);

/** All metrics except candles share one call. */
export function historyCall(view: HistoryView, now: number): ApiCall<History> {
  const { token, metric, range, listed, thru, interval, currency } = view;
  if (isByDays(view)) return daysCall(token, Number(range), currency);
  const dates = { from: startOf(view, listed, now), thru: range === 'custom' ? thru : isoDate(now) };
  if (metric === 'candles') return candlesCall(token, { ...dates, interval }, currency);
  return rangeCall(token, { ...dates, interval: isPointInterval(interval) ? interval : 'daily' }, currency);
}

const sinceOf = ({ range }: HistoryView, now: number) => now - Number(range) * DAY;

/** Drops points before the range. A call returns whole dates, but a range of days starts at the current time of day. */
export function inView(view: HistoryView, history: History, now: number): History {
  if (view.range === 'custom' || isByDays(view)) return history;
  const since = sinceOf(view, now);
  const isIn = ({ date }: { date: Date }) => date.getTime() + lengthOf(view.interval) > since;
  if (Array.isArray(history)) return history.filter(isIn);
  const { prices, market_cap, total_volume } = history;
  return {
    prices: prices.filter(isIn),
    market_cap: market_cap.filter(isIn),
    total_volume: total_volume.filter(isIn),
  };
}

/** Drops the gap before the first point. An available interval can begin up to one day after the range. */
export function gapsInView(view: HistoryView, gaps: readonly Gap[], now: number): readonly Gap[] {
  if (view.range === 'custom' || isByDays(view) || lengthOf(view.interval) >= DAY) return gaps;
  const since = sinceOf(view, now);
  const latest = view.range === '1' ? since : since + DAY;
  return gaps.filter(({ from, thru }) => Date.parse(from) > since || Date.parse(thru) >= latest);
}

export function drawnOf(view: HistoryView, history: History): Drawn {
  if (!Array.isArray(history)) {
    return { view, points: history[view.metric === 'candles' ? 'prices' : view.metric], candles: undefined };
  }
  return { view, points: history.map(({ date, close }) => ({ date, price: close })), candles: history };
}

export const formatMetric = ({ metric, currency }: HistoryView, value: number) =>
  metric === 'prices' || metric === 'candles' ? money(value, currency) : bigMoney(value, currency);

export type Unavailable = { view: HistoryView; token: Token; error: QuotientError; now: number };

/** Whether the data does not exist: the range ends before the first date, or the service reports gaps. */
export function isUnavailable({ view, token, error, now }: Unavailable): boolean {
  if (error.code === 'no_data' && error.gaps.length > 0) return true;
  const first = firstDate(view.metric, view.interval, token);
  const thru = view.range === 'custom' ? view.thru : isoDate(now);
  const isMissing = error.code === 'no_data' || error.code === 'upstream_unavailable';
  return isMissing && first !== undefined && thru < first;
}

/** What is missing, and the range with data. Its points are daily, because it starts at the first date. */
export function unavailableTexts({ view, token, now }: Unavailable) {
  const missing = `${token.title}: no ${view.interval} ${metricInWords(view.metric)} for ${rangeInWords(view)}.`;
  const from = firstDate(view.metric, 'daily', token) ?? earliestDate(view.metric, token);
  const range: DateRange | undefined = from === undefined ? from : { from, thru: isoDate(now) };
  return { missing, range, label: range && `Show ${datesInWords(new Date(range.from), new Date(now))}` };
}
