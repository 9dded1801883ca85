import type { CandleInterval } from './generated/candle-intervals.ts';
import type { BuiltInToken, DateSnapshot, PriceSeries } from './generated/records.ts';
import { type DateInput, dayFirst, isoDate, only, toCandles, toSeries, type Wire } from './records.ts';
import { get, json, type Request } from './request.ts';
import type { CallOptions } from './transport/options.ts';

/** The name or symbol of a token, case-insensitive. The operator may add tokens to the built-in ones. */
export type TokenName = BuiltInToken | (string & {});

export type PriceOptions = CallOptions & {
  /** The currency of the amounts, such as `eur`; US dollars by default. */
  currency?: string | undefined;
};
type Options = PriceOptions | undefined;

export type CsvOptions = PriceOptions & {
  /** The separator of the fields; `comma` by default. With `semicolon`, numbers have a decimal comma. */
  separator?: 'comma' | 'semicolon' | undefined;
};

/** Two UTC dates, both inclusive, and the interval between points (`daily` by default). */
export type PriceWindow = { from: DateInput; thru: DateInput; interval?: 'minute' | 'hourly' | 'daily' | undefined };

/** Two UTC dates, both inclusive, between which candles start, and the length of a candle (`daily` by default). */
export type CandleWindow = Omit<PriceWindow, 'interval'> & { interval?: CandleInterval | undefined };

/**
 * The number of days back from now, from 1 to 36500. The points are five minutes apart for 1 day, hourly for 2 to 10
 * days, and daily at 00:00 UTC for more.
 */
export type Days = { days: number };

const HISTORY = '/v1/prices/history';

export const inCurrency = (options: Options) => ({ currency: options?.currency });

export const asCsv = ({ read: _, query, ...request }: Request<unknown>, options?: CsvOptions): Request<string> => ({
  ...request,
  query: { ...query, separator: options?.separator },
  accept: 'text/csv',
  read: (text) => text,
});

export const priceOn = (tokenName: TokenName, date: DateInput, options: Options) =>
  get(`${HISTORY}/date`, json(only<DateSnapshot>), {
    query: { tokenName, date: dayFirst(date), ...inCurrency(options) },
  });

const toHistory = (wire: Wire<PriceSeries>[]) => toSeries(only(wire));

export const priceHistory = (tokenName: TokenName, { days }: Days, options: Options) =>
  get(`${HISTORY}/days`, json(toHistory), { query: { tokenName, days, ...inCurrency(options) } });

const inWindow = (tokenName: TokenName, { from, thru, interval }: CandleWindow, options: Options) => ({
  query: { tokenName, fromDate: isoDate(from), thruDate: isoDate(thru), interval, ...inCurrency(options) },
});

export const priceRange = (tokenName: TokenName, window: PriceWindow, options: Options) =>
  get(`${HISTORY}/date/range`, json(toSeries), inWindow(tokenName, window, options));

export const candles = (tokenName: TokenName, window: CandleWindow, options: Options) =>
  get(`${HISTORY}/ohlc`, json(toCandles), inWindow(tokenName, window, options));
