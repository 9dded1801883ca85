import type {
  Candle,
  DateSnapshot,
  Holding,
  LatestPrice,
  MarketSample,
  PriceSeries,
  Token,
  TokenPrice,
  TokenStatistics,
} from '../generated/records.ts';
import { instant, orNull, type Wire } from './wire.ts';

/* Records of tokens and their figures as they arrive: times become `Date`. Another shape throws some error. */

const toHolding = (wire: Wire<Holding>): Holding => ({
  ...wire,
  from: orNull(wire.from),
  thru: orNull(wire.thru),
});

export const toTokens = (wire: Wire<Token>[]): Token[] =>
  wire.map((token) => ({
    ...token,
    archive: {
      minute: toHolding(token.archive.minute),
      hour: toHolding(token.archive.hour),
      day: toHolding(token.archive.day),
    },
  }));

export const toLatestPrice = (wire: Wire<LatestPrice>): LatestPrice => ({
  ...wire,
  ath_date: orNull(wire.ath_date),
  atl_date: orNull(wire.atl_date),
});

const toTokenPrice = (wire: Wire<TokenPrice>): TokenPrice => ({
  ...wire,
  at: orNull(wire.at),
  ath_date: orNull(wire.ath_date),
  atl_date: orNull(wire.atl_date),
});

export const toTokenPrices = (wire: Wire<TokenPrice>[]): TokenPrice[] => wire.map(toTokenPrice);

/** `time` is in Unix seconds. */
export const toStatistics = (wire: Omit<TokenStatistics, 'time'> & { time: number }): TokenStatistics => ({
  ...wire,
  time: instant(new Date(wire.time * 1000).toISOString()),
});

const toPoints = (wire: Wire<PriceSeries['prices']>): PriceSeries['prices'] =>
  wire.map(({ date, price }) => ({ date: instant(date), price }));

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

export const toCandles = (wire: Wire<Candle>[]): Candle[] =>
  wire.map((candle) => ({ ...candle, date: instant(candle.date) }));

/** History is wrapped in an array of one. */
export function only<T>(wire: readonly T[]): T {
  const [first] = wire;
  if (first === undefined) throw new RangeError('the array is empty');
  return first;
}

export const toSnapshot = (wire: DateSnapshot[]): DateSnapshot => only(wire);
