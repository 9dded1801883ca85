import type { Candle, PriceSeries, Token } from '../../client/index.ts';
import {
  type ApiCall,
  candlesCall,
  daysCall,
  type Interval,
  rangeCall,
  type TokenName,
} from '../api/api-call.ts';
import { bigMoney, money, onDate } from '../format.ts';

/** What can be drawn: a figure of the series, or candles. */
export const METRICS = [
  ['prices', 'Price'],
  ['candles', 'Candles'],
  ['market_cap', 'Market cap'],
  ['total_volume', 'Volume'],
] as const;
export type Metric = (typeof METRICS)[number][0];

/** Days back from now, or `custom` for two dates. */
export const RANGES = [
  ['1', '1D'],
  ['7', '7D'],
  ['30', '30D'],
  ['90', '90D'],
  ['365', '1Y'],
  ['36500', 'All'],
  ['custom', 'Custom'],
] as const;
export type Range = (typeof RANGES)[number][0];

export const SCALES = ['linear', 'log'] as const;

/** What the chart shows. */
export type HistoryView = {
  token: TokenName;
  /** In lower case. */
  currency: string;
  metric: Metric;
  range: Range;
  scale: (typeof SCALES)[number];
  /** The first date of which the token has a price. */
  listed: string;
  /** YYYY-MM-DD, for the custom range. */
  from: string;
  thru: string;
};

/** What is shown where nothing else is asked for. */
export const DEFAULT_VIEW: HistoryView = {
  ...{ token: 'bitcoin', currency: 'usd', metric: 'prices', range: '30', scale: 'linear' },
  ...{ listed: '', from: '', thru: '' },
};

/** What the service tells of a view. */
export type History = PriceSeries | Candle[];
export type Points = PriceSeries['prices'];

/** What the chart draws; of candles, the points are their last prices. */
export type Drawn = { view: HistoryView; points: Points; candles: readonly Candle[] | undefined };

const DAY = 86_400_000;
export const isoDate = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export function rangeInWords({ range, from, thru }: Pick<HistoryView, 'range' | 'from' | 'thru'>): string {
  if (range === 'custom') return `${onDate(new Date(from))} to ${onDate(new Date(thru))}`;
  if (range === '36500') return 'all available data';
  return range === '1' ? 'last 24 hours' : `last ${range} days`;
}

export const metricTitle = (metric: Metric) => METRICS.find(([name]) => name === metric)?.[1] ?? metric;
export const metricInWords = (metric: Metric) => metricTitle(metric).toLowerCase();

/** Whether a venue tells candles of a token. */
export const hasCandles = ({ endpoints }: Token) => endpoints.some((path) => path.endsWith('/history/ohlc'));

/** Volumes are bars, which begin at zero: a log scale has none. */
export const hasLogScale = ({ metric }: Pick<HistoryView, 'metric'>) => metric !== 'total_volume';
export const isLog = (view: Pick<HistoryView, 'metric' | 'scale'>) =>
  view.scale === 'log' && hasLogScale(view);

const CANDLE_LENGTHS: Readonly<Record<Interval, number>> = {
  minute: 300_000,
  hourly: 3_600_000,
  daily: DAY,
};

/** Two dates are shown in hours up to so many days; for hours further back than this, there may be no source. */
const HOURLY_UP_TO = 10 * DAY;
const HOURLY_SINCE = 30 * DAY;

/** How fine a range is shown: a few dates that are not long past in hours, as a few days back from now are. */
function intervalOf({ range, from, thru }: HistoryView, now: number): Interval {
  if (range === '1') return 'minute';
  if (range === '7') return 'hourly';
  if (range !== 'custom') return 'daily';
  const isShort = Date.parse(thru) - Date.parse(from) < HOURLY_UP_TO;
  return isShort && now - Date.parse(from) < HOURLY_SINCE ? 'hourly' : 'daily';
}

/** The call for a view; but for candles its answer has every metric. */
export function historyCall(view: HistoryView, now: number): ApiCall<History> {
  const { token, metric, range, listed, from, thru, currency } = view;
  const interval = intervalOf(view, now);
  if (metric !== 'candles') {
    return range === 'custom'
      ? rangeCall(token, { from, thru, interval }, currency)
      : daysCall(token, Number(range), currency);
  }
  if (range === 'custom') return candlesCall(token, { from, thru, interval }, currency);
  const since = range === '36500' ? listed : isoDate(now - Number(range) * DAY);
  return candlesCall(token, { from: since, thru: isoDate(now), interval }, currency);
}

/** The candles that a range of days has, of all since the midnight before it. */
export function candlesIn(view: HistoryView, candles: readonly Candle[], now: number): Candle[] {
  const since = view.range === 'custom' ? 0 : now - Number(view.range) * DAY;
  const length = CANDLE_LENGTHS[intervalOf(view, now)];
  return candles.filter(({ date }) => date.getTime() + length > since);
}

/** What of an answer the chart draws. */
export function drawnOf(view: HistoryView, history: History): Drawn {
  if (!Array.isArray(history)) {
    return { view, points: history[view.metric === 'candles' ? 'prices' : view.metric], candles: undefined };
  }
  return { view, points: history.map(({ date, close }) => ({ date, price: close })), candles: history };
}

export const formatMetric = ({ metric, currency }: HistoryView, value: number) =>
  metric === 'prices' || metric === 'candles' ? money(value, currency) : bigMoney(value, currency);
