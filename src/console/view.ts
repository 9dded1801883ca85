import type { PriceSeries } from '../client/index.ts';
import type { Call, TokenName } from './call.ts';
import { bigMoney, money } from './format.ts';

export const METRICS = [
  ['prices', 'Price'],
  ['market_cap', 'Market cap'],
  ['total_volume', 'Volume'],
] as const;
export type Metric = (typeof METRICS)[number][0] & keyof PriceSeries;

export const SPANS = [
  ['1', '1D'],
  ['7', '7D'],
  ['30', '30D'],
  ['90', '90D'],
  ['365', '1Y'],
  ['36500', 'All'],
  ['dates', 'Dates'],
] as const;
export type Span = (typeof SPANS)[number][0];

/** What of the history is looked at. */
export type View = {
  token: TokenName;
  metric: Metric;
  span: Span;
  /** YYYY-MM-DD, for two dates. */
  from: string;
  thru: string;
};

const IN_WORDS: Readonly<Record<Exclude<Span, 'dates'>, string>> = {
  1: 'the last 24 hours',
  7: 'the last 7 days',
  30: 'the last 30 days',
  90: 'the last 90 days',
  365: 'the last 365 days',
  36500: 'all there is',
};

export const spanInWords = ({ span, from, thru }: View) =>
  span === 'dates' ? `${from} to ${thru}` : IN_WORDS[span];

export const metricInWords = (metric: Metric) =>
  METRICS.find(([name]) => name === metric)?.[1].toLowerCase() ?? metric;

/** The one call that answers it, whichever of the figures is shown. */
export function historyCall({ token, span, from, thru }: View): Extract<Call, { kind: 'days' | 'range' }> {
  return span === 'dates'
    ? { kind: 'range', token, from, thru }
    : { kind: 'days', token, days: Number(span) };
}

export const write = (metric: Metric, value: number) =>
  metric === 'prices' ? money(value) : bigMoney(value);
