import { QuotientError } from './error.ts';
import type {
  DateSnapshot,
  Holding,
  LatestPrice,
  PriceSeries,
  Token,
  TokenStatistics,
  Usage,
  User,
} from './records.ts';

/*
 * From what goes over the wire to what the caller gets: instants, which are text there, become `Date`.
 * An answer of another shape throws, whatever it is; `readAnswer` says so in one way.
 */

/** A record as it goes over the wire. */
export type Wire<T> = T extends Date
  ? string
  : T extends object
    ? { [Member in keyof T]: Wire<T[Member]> }
    : T;

function instant(text: string): Date {
  const date = new Date(text);
  if (typeof text !== 'string' || Number.isNaN(date.getTime())) throw new RangeError('that is no instant');
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

/** The time of statistics is in Unix seconds. */
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

/** History is wrapped in an array of one. */
export function only<T>(wire: readonly T[]): T {
  const [first] = wire;
  if (first === undefined) throw new RangeError('the array is empty');
  return first;
}

export const toSnapshot = (wire: DateSnapshot[]): DateSnapshot => only(wire);

/** Reads the text of an answer. Throws `invalid_answer` when it is not of the shape that `read` expects. */
export function readAnswer<W, T>(text: string, read: (wire: W) => T): T {
  try {
    return read(JSON.parse(text) as W);
  } catch (cause) {
    throw new QuotientError('invalid_answer', 'the answer has a shape that this client does not know', {
      cause,
    });
  }
}
