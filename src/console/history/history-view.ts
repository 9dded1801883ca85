import type { PriceSeries } from '../../client/index.ts';
import { daysCall, rangeCall, type TokenName } from '../api/api-call.ts';
import { bigMoney, money } from '../format.ts';

export const METRICS = [
  ['prices', 'Price'],
  ['market_cap', 'Market cap'],
  ['total_volume', 'Volume'],
] as const;
export type Metric = (typeof METRICS)[number][0] & keyof PriceSeries;

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

/** What the chart shows. */
export type HistoryView = {
  token: TokenName;
  metric: Metric;
  range: Range;
  /** YYYY-MM-DD, for the custom range. */
  from: string;
  thru: string;
};

export function rangeInWords({ range, from, thru }: HistoryView): string {
  if (range === 'custom') return `${from} to ${thru}`;
  if (range === '36500') return 'all available data';
  return range === '1' ? 'last 24 hours' : `last ${range} days`;
}

export const metricTitle = (metric: Metric) => METRICS.find(([name]) => name === metric)?.[1] ?? metric;
export const metricInWords = (metric: Metric) => metricTitle(metric).toLowerCase();

/** The call for a view; its answer has all three metrics. */
export const historyCall = ({ token, range, from, thru }: HistoryView) =>
  range === 'custom' ? rangeCall(token, from, thru) : daysCall(token, Number(range));

export const formatMetric = (metric: Metric, value: number) =>
  metric === 'prices' ? money(value) : bigMoney(value);
