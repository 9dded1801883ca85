import type {
  Candle,
  Holding,
  LatestPrice,
  MarketSample,
  PriceSeries,
  Token,
  TokenPrice,
  TokenStatistics,
} from '../generated/records.ts';
import { each, instant, record, type Wire } from './wire.ts';

/* Records of tokens and their figures as they arrive: times become `Date`. Another shape throws some error. */

const toHolding = record<Holding>([], ['from', 'thru']);

export const toTokens = each(
  ({ archive: { minute, hour, day }, ...token }: Wire<Token>): Token => ({
    ...token,
    archive: { minute: toHolding(minute), hour: toHolding(hour), day: toHolding(day) },
  }),
);

export const toLatestPrice = record<LatestPrice>([], ['ath_date', 'atl_date']);

const toTokenPrice = record<TokenPrice>([], ['at', 'ath_date', 'atl_date']);

export const toTokenPrices = each(toTokenPrice);

/** `time` is in Unix seconds. */
export const toStatistics = (wire: Omit<TokenStatistics, 'time'> & { time: number }): TokenStatistics => ({
  ...wire,
  time: instant(new Date(wire.time * 1000).toISOString()),
});

const toPoints = each(({ date, price }: Wire<PriceSeries['prices'][number]>) => ({
  date: instant(date),
  price,
}));

export const toSeries = (wire: Wire<PriceSeries>): PriceSeries => ({
  prices: toPoints(wire.prices),
  market_cap: toPoints(wire.market_cap),
  total_volume: toPoints(wire.total_volume),
});

export const toSample = ({ latest, history, ...rest }: Wire<MarketSample>): MarketSample => ({
  ...rest,
  latest: toTokenPrice(latest),
  history: toSeries(history),
});

export const toCandles = each(record<Candle>(['date']));

/** History is wrapped in an array of one. */
export function only<T>(wire: readonly T[]): T {
  const [first] = wire;
  if (first === undefined) throw new RangeError('the array is empty');
  return first;
}
