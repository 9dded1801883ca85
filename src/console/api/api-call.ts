import type {
  LatestPrice,
  PriceSeries,
  QuotientClient,
  StatisticsSymbol,
  Token,
  TokenStatistics,
  Usage,
} from '../../client/index.ts';

export type TokenName = Token['tokenName'];

/** A call of the API that the page makes and shows as a snippet. */
export type ApiCall<T extends object = object> = {
  /** The path below the base URL, with its query. */
  path: string;
  /** The call of the client's method, as source text. */
  method: string;
  send: (client: QuotientClient) => Promise<T>;
  /** Whether the answer also comes as CSV. */
  hasCsv?: true;
};

export const latestCall = (token: TokenName): ApiCall<LatestPrice> => ({
  path: `/v1/prices/latest/token?tokenName=${token}`,
  method: `latestPrice('${token}')`,
  send: (client) => client.latestPrice(token),
});

export const daysCall = (token: TokenName, days: number): ApiCall<PriceSeries> => ({
  path: `/v1/prices/history/days?tokenName=${token}&days=${days}`,
  method: `priceHistory('${token}', { days: ${days} })`,
  send: (client) => client.priceHistory(token, { days }),
  hasCsv: true,
});

export const rangeCall = (token: TokenName, from: string, thru: string): ApiCall<PriceSeries> => ({
  path: `/v1/prices/history/date/range?tokenName=${token}&fromDate=${from}&thruDate=${thru}`,
  method: `priceRange('${token}', { from: '${from}', thru: '${thru}' })`,
  send: (client) => client.priceRange(token, { from, thru }),
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
