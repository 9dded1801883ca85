import { QuotientError } from './error.ts';
import type {
  Candle,
  DateSnapshot,
  Holding,
  LatestPrice,
  PriceSeries,
  Token,
  TokenPrice,
  TokenStatistics,
  Usage,
  User,
} from './generated/records.ts';

/*
 * Converts records of the wire: times become `Date`. Another shape throws some error, which `readAnswer` turns into
 * `invalid_answer`.
 */

/** A record on the wire. */
export type Wire<T> = T extends Date
  ? string
  : T extends object
    ? { [Member in keyof T]: Wire<T[Member]> }
    : T;

function instant(text: string): Date {
  const date = new Date(text);
  if (typeof text !== 'string' || Number.isNaN(date.getTime())) throw new RangeError('not a time');
  return date;
}

const orNull = (text: string | null) => (text === null ? null : instant(text));

export const toUser = (wire: Wire<User>): User => ({
  ...wire,
  createdAt: instant(wire.createdAt),
  validUntil: instant(wire.validUntil),
  updatedAt: instant(wire.updatedAt),
});

export const toUsage = (wire: Wire<Usage>): Usage => ({
  ...wire,
  periodStart: instant(wire.periodStart),
  resetsAt: instant(wire.resetsAt),
  validUntil: instant(wire.validUntil),
});

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

export const toTokenPrices = (wire: Wire<TokenPrice>[]): TokenPrice[] =>
  wire.map((price) => ({
    ...price,
    at: orNull(price.at),
    ath_date: orNull(price.ath_date),
    atl_date: orNull(price.atl_date),
  }));

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

export const toCandles = (wire: Wire<Candle>[]): Candle[] =>
  wire.map((candle) => ({ ...candle, date: instant(candle.date) }));

/** History is wrapped in an array of one. */
export function only<T>(wire: readonly T[]): T {
  const [first] = wire;
  if (first === undefined) throw new RangeError('the array is empty');
  return first;
}

export const toSnapshot = (wire: DateSnapshot[]): DateSnapshot => only(wire);

/** Parses an answer. Throws `invalid_answer` if it does not have the expected shape. */
export function readAnswer<W, T>(text: string, read: (wire: W) => T): T {
  try {
    return read(JSON.parse(text) as W);
  } catch (cause) {
    throw new QuotientError('invalid_answer', 'the answer has an unexpected shape', {
      cause,
    });
  }
}
