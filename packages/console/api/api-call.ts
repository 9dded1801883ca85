import type {
  Candle,
  CandleInterval,
  Gap,
  PriceSeries,
  PriceWindow,
  QuotientClient,
  QuotientError,
  StatisticsSymbol,
  TokenName,
  TokenPrice,
} from '../../client/index.ts';
import { at, span } from '../../pages/format.ts';

export type { TokenName };

export type ApiCall<T extends object = object> = {
  /** The path relative to the base URL, including the query. */
  path: string;
  /** The call as source code: a method of the client with its arguments. */
  method: string;
  send: (client: QuotientClient) => Promise<T>;
  /** The number of charged calls; 1 by default. */
  cost?: number;
  hasCsv?: true;
};

/** The time between points, and the length of a candle. Points have only some of the intervals of candles. */
export type Interval = CandleInterval;
export type PointInterval = NonNullable<PriceWindow['interval']>;

/** The maximum number of tokens per request, and the number of tokens charged as one call. */
export const MAX_TOKENS = 100;
export const TOKENS_PER_CALL = 10;

export const batchesOf = (names: readonly TokenName[]): TokenName[][] =>
  Array.from({ length: Math.ceil(names.length / MAX_TOKENS) }, (_, i) =>
    names.slice(i * MAX_TOKENS, (i + 1) * MAX_TOKENS),
  );

export const costOf = (tokens: number): number => {
  const rest = tokens % MAX_TOKENS;
  return ((tokens - rest) / MAX_TOKENS) * (MAX_TOKENS / TOKENS_PER_CALL) + Math.ceil(rest / TOKENS_PER_CALL);
};

function source(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(source).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${source(member)}`);
  return `{ ${members.join(', ')} }`;
}

type Method = 'latestPrices' | 'priceHistory' | 'priceRange' | 'candles' | 'statistics' | 'usage';
type Answered<Name extends Method> = Awaited<ReturnType<QuotientClient[Name]>>;

/** Combines a client method with the equivalent path. Both default to US dollars. */
function callOf<Name extends Method>(
  name: Name,
  given: Parameters<QuotientClient[Name]>,
  path: string,
  parameters: Readonly<Record<string, string | number | undefined>> = {},
  { currency = 'usd', ...rest }: { currency?: string; sparkline?: true } = {},
): ApiCall<Answered<Name>> {
  const options = { ...rest, ...(currency !== 'usd' && { currency }) };
  const all = Object.keys(options).length === 0 ? given : [...given, options];
  const query = Object.entries({ ...parameters, ...options }).map(([key, value]) => `${key}=${value}`);
  return {
    path: [path, ...(query.length > 0 ? [query.join('&')] : [])].join('?'),
    method: `${name}(${all.map(source).join(', ')})`,
    send: (client) => Reflect.apply(client[name], client, all) as Promise<Answered<Name>>,
  };
}

export const latestPricesCall = (tokens: readonly TokenName[], currency: string): ApiCall<TokenPrice[]> => ({
  ...callOf(
    'latestPrices',
    [tokens],
    '/v1/prices/latest/tokens',
    { tokenNames: tokens.join(',') },
    { sparkline: true, currency },
  ),
  cost: costOf(tokens.length),
});

export const daysCall = (tokenName: TokenName, days: number, currency: string): ApiCall<PriceSeries> => ({
  ...callOf('priceHistory', [tokenName, { days }], '/v1/prices/history/days', { tokenName, days }, { currency }),
  hasCsv: true,
});

type DateWindow<Name = Interval> = { from: string; thru: string; interval: Name };

export function rangeCall(
  tokenName: TokenName,
  { from, thru, interval }: DateWindow<PointInterval>,
  currency: string,
): ApiCall<PriceSeries> {
  const finer = interval === 'daily' ? {} : { interval };
  const parameters = { tokenName, fromDate: from, thruDate: thru, ...finer };
  const path = '/v1/prices/history/date/range';
  return {
    ...callOf('priceRange', [tokenName, { from, thru, ...finer }], path, parameters, { currency }),
    hasCsv: true,
  };
}

export function candlesCall(
  tokenName: TokenName,
  { from, thru, interval }: DateWindow,
  currency: string,
): ApiCall<Candle[]> {
  const parameters = { tokenName, fromDate: from, thruDate: thru, interval };
  const path = '/v1/prices/history/ohlc';
  return { ...callOf('candles', [tokenName, { from, thru, interval }], path, parameters, { currency }), hasCsv: true };
}

export const statisticsCall = (token: StatisticsSymbol) =>
  callOf('statistics', [token], '/v1/prices/latest/stats', { token });

export const usageCall = callOf('usage', [], '/v1/user/usage');

/** The page shows the age of data that is at least this old (ms), such as `12 minutes ago`. */
export const FRESH_MS = 10 * 60_000;

export type Result<T> = {
  value: T;
  /** When the service fetched the data, by this machine's clock. Undefined if the data is final. */
  fetchedAt: Date | undefined;
  /** Why the service could not refresh the data. Undefined if the data is fresh. */
  stale: string | undefined;
  gaps: readonly Gap[];
  sources: readonly string[];
  /** Whether this is the service's free sample instead of the call's response. */
  isSample?: true;
  /** The error of the latest call. If it is set, `value` is from an earlier response. */
  failure?: QuotientError | undefined;
};

export type DataAge = Pick<Result<unknown>, 'fetchedAt' | 'stale' | 'failure'>;

const REASONS: Readonly<Record<string, string>> = {
  unreachable: 'unreachable',
  timeout: 'timed out',
  rate_limited: 'rate limit reached',
  over_budget: 'call budget exhausted',
  resting: 'unavailable, retrying soon',
  server_error: 'server error',
  refused: 'request rejected',
  stale: 'reports outdated data',
};

/** Reads `fwd=stale; …; detail=timeout` in Cache-Status (RFC 9211). Undefined for fresh data and during a refresh. */
export function staleReason(status: string | undefined): string | undefined {
  if (!status?.includes('fwd=stale')) return undefined;
  const reason = /detail=([\w-]+)/.exec(status)?.[1] ?? 'unknown';
  return reason === 'refreshing' ? undefined : (REASONS[reason] ?? 'unavailable');
}

export function oldest(answers: readonly DataAge[]): DataAge {
  const times = answers.flatMap(({ fetchedAt }) => (fetchedAt ? [fetchedAt.getTime()] : []));
  return {
    fetchedAt: times.length > 0 ? new Date(Math.min(...times)) : undefined,
    stale: answers.find(({ stale }) => stale !== undefined)?.stale,
    failure: answers.find(({ failure }) => failure !== undefined)?.failure,
  };
}

const FAILURES: Readonly<Record<string, string>> = {
  network: 'the service is unreachable',
  timeout: 'the service did not respond in time',
  redirect: 'a proxy redirected the request',
  invalid_answer: 'the response did not come from the service',
  rate_limited: 'too many calls in a short time',
  quota_exceeded: 'the allowance is used up',
  key_limit_exceeded: 'the daily limit of the key is used up',
  scope_missing: 'the key does not have the required scope',
  origin_not_allowed: 'the key cannot be used on this page',
  api_key_expired: 'the key has expired',
  api_key_revoked: 'the key was revoked',
  upstream_unavailable: 'the source is unreachable',
  upstream_timeout: 'the source did not respond in time',
};

function failureInWords({ code, status }: QuotientError): string {
  const words = FAILURES[code];
  if (words !== undefined) return words;
  return status === 401 ? 'the key is no longer valid' : `the service reports ${code}`;
}

const asOf = (instant: Date, now: number, isLong: boolean) =>
  `As of ${at(instant, now)} UTC${isLong ? `, ${span(now - instant.getTime())} ago` : ''}`;

export const isOld = ({ stale, failure }: DataAge) => stale !== undefined || failure !== undefined;

export function ageText({ fetchedAt, stale, failure }: DataAge, now: number): string {
  if (failure) {
    const reason = failureInWords(failure);
    return fetchedAt ? `${asOf(fetchedAt, now, true)}: ${reason}` : `Not updated: ${reason}`;
  }
  if (fetchedAt === undefined) return '';
  const age = now - fetchedAt.getTime();
  if (stale !== undefined) return `${span(age)} old (source: ${stale})`;
  return asOf(fetchedAt, now, age >= FRESH_MS);
}
