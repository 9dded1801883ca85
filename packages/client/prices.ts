import type { BuiltInToken, DateSnapshot, PriceSeries, StatisticsSymbol } from './generated/records.ts';
import {
  type DateInput,
  dayFirst,
  isoDate,
  only,
  toCandles,
  toLatestPrice,
  toSeries,
  toStatistics,
  toTokenPrices,
  type Wire,
} from './records.ts';
import { get, json, list, type Request } from './request.ts';

/** The name or symbol of a token, case-insensitive. The operator may add tokens to the built-in ones. */
export type TokenName = BuiltInToken | (string & {});

/** The currency of the amounts, such as `eur`; US dollars by default. */
export type Currency = { currency?: string | undefined } | undefined;

/** Two UTC dates, both included, and the interval between points; `daily` by default. */
export type PriceWindow = { from: DateInput; thru: DateInput; interval?: 'minute' | 'hourly' | 'daily' | undefined };

/**
 * The number of days back from now, from 1 to 36500. The points are five minutes apart for 1 day, hourly for 2 to 10
 * days, and daily at 00:00 UTC for more.
 */
export type Days = { days: number };

const HISTORY = '/v1/prices/history';

const inCurrency = (options: Currency) => ({ currency: options?.currency });

export const asCsv = ({ read: _, ...request }: Request<unknown>): Request<string> => ({
  ...request,
  accept: 'text/csv',
  read: (text) => text,
});

export const latestPrice = (tokenName: TokenName, currency: Currency) =>
  get('/v1/prices/latest/token', json(toLatestPrice), { query: { tokenName, ...inCurrency(currency) } });

export const latestPrices = (tokenNames: readonly TokenName[], currency: Currency) =>
  get('/v1/prices/latest/tokens', json(toTokenPrices), {
    query: { tokenNames: list('tokenNames', tokenNames), ...inCurrency(currency) },
  });

export const statistics = (token: StatisticsSymbol) =>
  get('/v1/prices/latest/stats', json(toStatistics), { query: { token } });

export const priceOn = (tokenName: TokenName, date: DateInput, currency: Currency) =>
  get(`${HISTORY}/date`, json(only<DateSnapshot>), {
    query: { tokenName, date: dayFirst(date), ...inCurrency(currency) },
  });

export const priceHistory = (tokenName: TokenName, { days }: Days, currency: Currency) =>
  get(
    `${HISTORY}/days`,
    json((wire: Wire<PriceSeries>[]) => toSeries(only(wire))),
    {
      query: { tokenName, days, ...inCurrency(currency) },
    },
  );

const inWindow = (tokenName: TokenName, { from, thru, interval }: PriceWindow, currency: Currency) => ({
  query: { tokenName, fromDate: isoDate(from), thruDate: isoDate(thru), interval, ...inCurrency(currency) },
});

export const priceRange = (tokenName: TokenName, window: PriceWindow, currency: Currency) =>
  get(`${HISTORY}/date/range`, json(toSeries), inWindow(tokenName, window, currency));

export const candles = (tokenName: TokenName, window: PriceWindow, currency: Currency) =>
  get(`${HISTORY}/ohlc`, json(toCandles), inWindow(tokenName, window, currency));
