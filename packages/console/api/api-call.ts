import type {
  Candle,
  PriceSeries,
  QuotientClient,
  StatisticsSymbol,
  TokenName,
  TokenPrice,
  TokenStatistics,
  Usage,
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
  /** Whether the answer also comes as CSV. */
  hasCsv?: true;
};

/** How far apart points are, and how long candles. */
export type Interval = 'minute' | 'hourly' | 'daily';

/** The most tokens that one request accepts, and the number of tokens that are charged as one call. */
const MOST_TOKENS = 100;
export const TOKENS_PER_CALL = 10;

/** Splits names into lists, each for one call. */
export const batchesOf = (names: readonly TokenName[]): TokenName[][] =>
  Array.from({ length: Math.ceil(names.length / MOST_TOKENS) }, (_, i) =>
    names.slice(i * MOST_TOKENS, (i + 1) * MOST_TOKENS),
  );

/** What the latest prices of so many tokens cost, in calls. */
export const costOf = (tokens: number): number => {
  const rest = tokens % MOST_TOKENS;
  return (
    ((tokens - rest) / MOST_TOKENS) * (MOST_TOKENS / TOKENS_PER_CALL) + Math.ceil(rest / TOKENS_PER_CALL)
  );
};

/** Dollars are what is told unless another currency is asked for. */
const isDefault = (currency: string) => currency === 'usd';
const inQuery = (currency: string) => (isDefault(currency) ? '' : `&currency=${currency}`);
const inOptions = (currency: string) => (isDefault(currency) ? '' : `, { currency: '${currency}' }`);
const optionsOf = (currency: string) => (isDefault(currency) ? undefined : { currency });

export const latestPricesCall = (tokens: readonly TokenName[], currency: string): ApiCall<TokenPrice[]> => ({
  path: `/v1/prices/latest/tokens?tokenNames=${tokens.join(',')}${inQuery(currency)}`,
  method: `latestPrices([${tokens.map((token) => `'${token}'`).join(', ')}]${inOptions(currency)})`,
  send: (client) => client.latestPrices(tokens, optionsOf(currency)),
  cost: costOf(tokens.length),
});

export const daysCall = (token: TokenName, days: number, currency: string): ApiCall<PriceSeries> => ({
  path: `/v1/prices/history/days?tokenName=${token}&days=${days}${inQuery(currency)}`,
  method: `priceHistory('${token}', { days: ${days} }${inOptions(currency)})`,
  send: (client) => client.priceHistory(token, { days }, optionsOf(currency)),
  hasCsv: true,
});

/** A range of dates, and how fine what is in it. */
type DateWindow = { from: string; thru: string; interval: Interval };

/** Points are daily unless another interval is asked for. */
export const rangeCall = (
  token: TokenName,
  { from, thru, interval }: DateWindow,
  currency: string,
): ApiCall<PriceSeries> => {
  const isDaily = interval === 'daily';
  const path = `/v1/prices/history/date/range?tokenName=${token}&fromDate=${from}&thruDate=${thru}`;
  const fine = isDaily ? '' : `, interval: '${interval}'`;
  return {
    path: `${path}${isDaily ? '' : `&interval=${interval}`}${inQuery(currency)}`,
    method: `priceRange('${token}', { from: '${from}', thru: '${thru}'${fine} }${inOptions(currency)})`,
    send: (client) =>
      client.priceRange(token, { from, thru, ...(!isDaily && { interval }) }, optionsOf(currency)),
    hasCsv: true,
  };
};

export const candlesCall = (
  token: TokenName,
  { from, thru, interval }: DateWindow,
  currency: string,
): ApiCall<Candle[]> => ({
  path:
    `/v1/prices/history/ohlc?tokenName=${token}&fromDate=${from}&thruDate=${thru}&interval=${interval}` +
    inQuery(currency),
  method: `candles('${token}', { from: '${from}', thru: '${thru}', interval: '${interval}' }${inOptions(currency)})`,
  send: (client) => client.candles(token, { from, thru, interval }, optionsOf(currency)),
  hasCsv: true,
});

export const statisticsCall = (token: StatisticsSymbol): ApiCall<TokenStatistics> => ({
  path: `/v1/prices/latest/stats?token=${token}`,
  method: `statistics('${token}')`,
  send: (client) => client.statistics(token),
});

export const usageCall: ApiCall<Usage> = {
  path: '/v1/user/usage',
  method: 'usage()',
  send: (client) => client.usage(),
};
