import { type DateInput, dayFirst, isoDate } from '../dates.ts';
import type {
  BuiltInToken,
  Candle,
  DateSnapshot,
  LatestPrice,
  PriceSeries,
  StatisticsSymbol,
  TokenPrice,
  TokenStatistics,
} from '../generated/records.ts';
import {
  only,
  toCandles,
  toLatestPrice,
  toSeries,
  toSnapshot,
  toStatistics,
  toTokenPrices,
} from './price-records.ts';
import { json, list, type Parameters, type Request } from './request.ts';
import type { Wire } from './wire.ts';

/** The name or symbol of a token. A service may have more than those that every service has. */
export type TokenName = BuiltInToken | (string & {});

/** What the figures are in, such as `eur`; US dollars by default. */
export type Currency = { currency?: string | undefined } | undefined;

/** Between two UTC dates, both included. The default interval is `daily`. */
export type PriceWindow = {
  from: DateInput;
  thru: DateInput;
  interval?: 'minute' | 'hourly' | 'daily' | undefined;
};

/** Back from now: 1 is in five-minute steps, up to 10 hourly, above that daily at midnight (UTC). */
export type Days = { days: number };

const HISTORY = '/v1/prices/history';

const get = <W, T>(path: string, query: Parameters, read: (wire: W) => T): Request<T> => ({
  method: 'GET',
  path,
  query,
  read: json(read),
});

/** The same figures as CSV. */
export const asCsv = ({ read: _, ...request }: Request<unknown>): Request<string> => ({
  ...request,
  accept: 'text/csv',
  read: (text) => text,
});

export const latestPrice = (tokenName: TokenName, currency: Currency): Request<LatestPrice> =>
  get('/v1/prices/latest/token', { tokenName, currency: currency?.currency }, toLatestPrice);

export const latestPrices = (tokenNames: readonly TokenName[], currency: Currency): Request<TokenPrice[]> =>
  get(
    '/v1/prices/latest/tokens',
    { tokenNames: list('tokenNames', tokenNames), currency: currency?.currency },
    toTokenPrices,
  );

export const statistics = (token: StatisticsSymbol): Request<TokenStatistics> =>
  get('/v1/prices/latest/stats', { token }, toStatistics);

export const priceOn = (tokenName: TokenName, date: DateInput, currency: Currency): Request<DateSnapshot> =>
  get(`${HISTORY}/date`, { tokenName, date: dayFirst(date), currency: currency?.currency }, toSnapshot);

export const priceHistory = (
  tokenName: TokenName,
  { days }: Days,
  currency: Currency,
): Request<PriceSeries> =>
  get(`${HISTORY}/days`, { tokenName, days, currency: currency?.currency }, (wire: Wire<PriceSeries>[]) =>
    toSeries(only(wire)),
  );

const inWindow = (
  tokenName: TokenName,
  { from, thru, interval }: PriceWindow,
  currency: Currency,
): Parameters => ({
  tokenName,
  fromDate: isoDate(from),
  thruDate: isoDate(thru),
  interval,
  currency: currency?.currency,
});

export const priceRange = (
  tokenName: TokenName,
  window: PriceWindow,
  currency: Currency,
): Request<PriceSeries> => get(`${HISTORY}/date/range`, inWindow(tokenName, window, currency), toSeries);

export const candles = (tokenName: TokenName, window: PriceWindow, currency: Currency): Request<Candle[]> =>
  get(`${HISTORY}/ohlc`, inWindow(tokenName, window, currency), toCandles);
