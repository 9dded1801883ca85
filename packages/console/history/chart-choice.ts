import type { Candle, PriceSeries, Token } from '../../client/index.ts';
import {
  type ApiCall,
  candlesCall,
  daysCall,
  type Interval,
  rangeCall,
  type TokenName,
} from '../api/api-call.ts';
import { bigMoney, money, onDate } from '../core/format.ts';
import { defaultInterval, INTERVAL_MS, isoDate, startOf } from '../range/intervals.ts';

/** What can be drawn: a figure of the series, or candles. */
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
  interval: Interval;
  /** The first date of which the token has a price. */
  listed: string;
  /** YYYY-MM-DD, for the custom range. */
  from: string;
  thru: string;
};

export const DEFAULT_VIEW: HistoryView = {
  ...{ token: 'bitcoin', currency: 'usd', metric: 'prices', range: '30', scale: 'linear', interval: 'daily' },
  ...{ listed: '', from: '', thru: '' },
};

export type History = PriceSeries | Candle[];
export type Points = PriceSeries['prices'];

/** What the chart draws; of candles, the points are their last prices. */
export type Drawn = { view: HistoryView; points: Points; candles: readonly Candle[] | undefined };

/** `20 Nov 2026 to 21 Nov 2026`; one date alone if both are the same. */
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

/** Volumes are bars, which begin at zero: a log scale has none. */
export const hasLogScale = ({ metric }: Pick<HistoryView, 'metric'>) => metric !== 'total_volume';
export const isLog = (view: Pick<HistoryView, 'metric' | 'scale'>) =>
  view.scale === 'log' && hasLogScale(view);

/** Whether `history/days` returns a range in its interval: it has one interval for each number of days. */
const isByDays = (view: HistoryView) =>
  view.metric !== 'candles' && view.range !== 'custom' && view.interval === defaultInterval(view);

/** The call for a view; its response has every metric but candles. */
export function historyCall(view: HistoryView, now: number): ApiCall<History> {
  const { token, metric, range, listed, thru, interval, currency } = view;
  if (isByDays(view)) return daysCall(token, Number(range), currency);
  const dates = {
    from: startOf(view, listed, now),
    thru: range === 'custom' ? thru : isoDate(now),
    interval,
  };
  return metric === 'candles' ? candlesCall(token, dates, currency) : rangeCall(token, dates, currency);
}

/** The part of a response that lies in the view: a range of days does not begin at midnight, a range of dates does. */
export function inView(view: HistoryView, history: History, now: number): History {
  if (view.range === 'custom' || isByDays(view)) return history;
  const since = now - Number(view.range) * INTERVAL_MS.daily;
  const isIn = ({ date }: { date: Date }) => date.getTime() + INTERVAL_MS[view.interval] > since;
  if (Array.isArray(history)) return history.filter(isIn);
  const { prices, market_cap, total_volume } = history;
  return {
    prices: prices.filter(isIn),
    market_cap: market_cap.filter(isIn),
    total_volume: total_volume.filter(isIn),
  };
}

export function drawnOf(view: HistoryView, history: History): Drawn {
  if (!Array.isArray(history)) {
    return { view, points: history[view.metric === 'candles' ? 'prices' : view.metric], candles: undefined };
  }
  return { view, points: history.map(({ date, close }) => ({ date, price: close })), candles: history };
}

export const formatMetric = ({ metric, currency }: HistoryView, value: number) =>
  metric === 'prices' || metric === 'candles' ? money(value, currency) : bigMoney(value, currency);
