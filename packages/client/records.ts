import { invalid } from './error.ts';
import type {
  Candle,
  Holding,
  LatestPrice,
  MarketSample,
  PriceSeries,
  StreamedPrice,
  StreamTicket,
  Token,
  TokenPrice,
  TokenStatistics,
} from './generated/records.ts';

/** The JSON form of a record, in which times are strings. */
export type Wire<T> = T extends Date ? string : T extends object ? { [Member in keyof T]: Wire<T[Member]> } : T;

/** Throws `RangeError` for an invalid time. */
export function instant(text: unknown): Date {
  const date = new Date(typeof text === 'string' ? text : Number.NaN);
  if (Number.isNaN(date.getTime())) throw new RangeError('not a time');
  return date;
}

/** A record without times. Throws `RangeError` if the value is not an object. */
export function object<T extends object>(wire: T): T {
  if (typeof wire !== 'object' || wire === null) throw new RangeError('not an object');
  return wire;
}

/** Converts the members in `times` and `nullable` to `Date`. Those in `nullable` may be null. Throws `RangeError`. */
export const record =
  <T extends object>(times: readonly (keyof T & string)[], nullable: typeof times = []) =>
  (wire: Wire<T>): T => {
    const members = object(wire as Record<string, unknown>);
    const read = times.map((name) => [name, instant(members[name])]);
    const orNull = nullable.map((name) => [name, members[name] === null ? null : instant(members[name])]);
    return { ...members, ...Object.fromEntries([...read, ...orNull]) } as T;
  };

export const each =
  <W, T>(read: (wire: W) => T) =>
  (wire: readonly W[]): T[] =>
    wire.map((element) => read(element));

/** A UTC date: `YYYY-MM-DD`, or a `Date` at any time of that day. */
export type DateInput = Date | string;

/** An instant: a `Date` or an ISO 8601 string. */
export type TimeInput = Date | string;

export function isoDate(input: DateInput): string {
  const date = typeof input === 'string' ? new Date(`${input}T00:00:00.000Z`) : input;
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) {
    throw invalid('the date must be a Date, or a string like 2024-01-31');
  }
  const text = date.toISOString().slice(0, 10);
  // Some engines parse 2024-02-31 as 2 March.
  if (date !== input && text !== input) throw invalid('the date does not exist; use a date like 2024-01-31');
  return text;
}

export const dayFirst = (input: DateInput) => isoDate(input).split('-').reverse().join('-');

/** Formats an instant in ISO 8601. Throws `invalid_request` for an invalid `Date`. The service validates strings. */
export function isoInstant(input: TimeInput): string {
  if (typeof input === 'string') return input;
  if (!(input instanceof Date) || Number.isNaN(input.getTime())) {
    throw invalid('the time must be a Date, or a string in ISO 8601');
  }
  return input.toISOString();
}

const toHolding = record<Holding>([], ['from', 'thru']);

export const toTokens = each(
  ({ archive: { minute, hour, day }, lastPriceAt, ...token }: Wire<Token>): Token => ({
    ...token,
    lastPriceAt: lastPriceAt === null ? null : new Date(lastPriceAt),
    archive: { minute: toHolding(minute), hour: toHolding(hour), day: toHolding(day) },
  }),
);

export const toLatestPrice = record<LatestPrice>([], ['ath_date', 'atl_date']);
const toTokenPrice = record<TokenPrice>([], ['at', 'ath_date', 'atl_date']);
export const toTokenPrices = each(toTokenPrice);
export const toStreamedPrice = record<StreamedPrice>([], ['at', 'ath_date', 'atl_date']);
export const toTicket = record<StreamTicket>(['expiresAt']);

/** In JSON, `time` is in Unix seconds. */
export const toStatistics = (wire: Omit<TokenStatistics, 'time'> & { time: number }): TokenStatistics => ({
  ...wire,
  time: instant(new Date(wire.time * 1000).toISOString()),
});

const toPoints = each(({ date, price }: Wire<PriceSeries['prices'][number]>) => ({ date: instant(date), price }));

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

/** Returns the only element of an array. The service returns a history in such an array. */
export function only<T>(wire: readonly T[]): T {
  const [first] = wire;
  if (first === undefined) throw new RangeError('the array is empty');
  return first;
}
