import type {
  Candle,
  PriceSeries,
  QuotientClient,
  StatisticsSymbol,
  TokenName,
  TokenPrice,
} from '../../client/index.ts';

export type { TokenName };

/** A call of the API that the page makes and shows as a snippet. */
export type ApiCall<T extends object = object> = {
  /** The path below the base URL, with its query. */
  path: string;
  /** The call of the client's method, as source text. */
  method: string;
  send: (client: QuotientClient) => Promise<T>;
  /** What it costs where it is not one call. */
  cost?: number;
  hasCsv?: true;
};

/** How far apart points are, and how long candles. */
export type Interval = 'minute' | 'hourly' | 'daily';

/** The most tokens that one request accepts, and the number of tokens that are charged as one call. */
const MOST_TOKENS = 100;
export const TOKENS_PER_CALL = 10;

export const batchesOf = (names: readonly TokenName[]): TokenName[][] =>
  Array.from({ length: Math.ceil(names.length / MOST_TOKENS) }, (_, i) =>
    names.slice(i * MOST_TOKENS, (i + 1) * MOST_TOKENS),
  );

export const costOf = (tokens: number): number => {
  const rest = tokens % MOST_TOKENS;
  return (
    ((tokens - rest) / MOST_TOKENS) * (MOST_TOKENS / TOKENS_PER_CALL) + Math.ceil(rest / TOKENS_PER_CALL)
  );
};

/** An argument as source text. */
function source(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(source).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${source(member)}`);
  return `{ ${members.join(', ')} }`;
}

type Method = 'latestPrices' | 'priceHistory' | 'priceRange' | 'candles' | 'statistics' | 'usage';
type Answered<Name extends Method> = Awaited<ReturnType<QuotientClient[Name]>>;

/** A call of a method of the client, which is also a path with parameters. US dollars are named in neither. */
function callOf<Name extends Method>(
  name: Name,
  given: Parameters<QuotientClient[Name]>,
  path: string,
  {
    currency = 'usd',
    ...parameters
  }: { currency?: string; [name: string]: string | number | undefined } = {},
): ApiCall<Answered<Name>> {
  const inCurrency = currency === 'usd' ? {} : { currency };
  const all = currency === 'usd' ? given : [...given, inCurrency];
  const query = Object.entries({ ...parameters, ...inCurrency }).map(([key, value]) => `${key}=${value}`);
  return {
    path: [path, ...(query.length > 0 ? [query.join('&')] : [])].join('?'),
    method: `${name}(${all.map(source).join(', ')})`,
    send: (client) => Reflect.apply(client[name], client, all) as Promise<Answered<Name>>,
  };
}

export const latestPricesCall = (tokens: readonly TokenName[], currency: string): ApiCall<TokenPrice[]> => ({
  ...callOf('latestPrices', [tokens], '/v1/prices/latest/tokens', {
    tokenNames: tokens.join(','),
    currency,
  }),
  cost: costOf(tokens.length),
});

export const daysCall = (tokenName: TokenName, days: number, currency: string): ApiCall<PriceSeries> => ({
  ...callOf('priceHistory', [tokenName, { days }], '/v1/prices/history/days', { tokenName, days, currency }),
  hasCsv: true,
});

/** A range of dates, and how fine what is in it. */
type DateWindow = { from: string; thru: string; interval: Interval };

/** Points are daily unless another interval is asked for. */
export function rangeCall(
  tokenName: TokenName,
  { from, thru, interval }: DateWindow,
  currency: string,
): ApiCall<PriceSeries> {
  const finer = interval === 'daily' ? {} : { interval };
  const parameters = { tokenName, fromDate: from, thruDate: thru, ...finer, currency };
  const path = '/v1/prices/history/date/range';
  return { ...callOf('priceRange', [tokenName, { from, thru, ...finer }], path, parameters), hasCsv: true };
}

export function candlesCall(
  tokenName: TokenName,
  { from, thru, interval }: DateWindow,
  currency: string,
): ApiCall<Candle[]> {
  const parameters = { tokenName, fromDate: from, thruDate: thru, interval, currency };
  const given = [tokenName, { from, thru, interval }] as const;
  return { ...callOf('candles', [...given], '/v1/prices/history/ohlc', parameters), hasCsv: true };
}

export const statisticsCall = (token: StatisticsSymbol) =>
  callOf('statistics', [token], '/v1/prices/latest/stats', { token });

export const usageCall = callOf('usage', [], '/v1/user/usage');
