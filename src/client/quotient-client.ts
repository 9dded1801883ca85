import type { Allowance, Answer } from './answer.ts';
import { type DateInput, dayFirst, isoDate } from './dates.ts';
import type {
  BuiltInToken,
  Candle,
  DateSnapshot,
  LatestPrice,
  PriceSeries,
  Source,
  StatisticsSymbol,
  Token,
  TokenPrice,
  TokenStatistics,
  Usage,
  User,
} from './generated/records.ts';
import { createTransport, type Question, type Transport, type TransportOptions } from './transport.ts';
import {
  only,
  readAnswer,
  toCandles,
  toLatestPrice,
  toSeries,
  toSnapshot,
  toStatistics,
  toTokenPrices,
  toTokens,
  toUsage,
  toUser,
} from './wire.ts';

export type QuotientClientOptions = TransportOptions & {
  /** The URL of the service, with its base path: `https://example.org/market`. */
  baseUrl: string;
};

/** The options of every call. */
export type CallOptions = {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
};

/** The options of a call for prices. */
export type PriceOptions = CallOptions & {
  /** What the figures are in, such as `eur`; US dollars by default. */
  currency?: string | undefined;
};

/** The name or symbol of a token. A service may have more than those that every service has. */
export type TokenName = BuiltInToken | (string & {});
export type Plan = User['plan'];
export type Registration = { name: string; email: string; plan: Plan };
/** Between two UTC dates, both included. The default interval is `daily`. */
export type PriceWindow = {
  from: DateInput;
  thru: DateInput;
  interval?: 'minute' | 'hourly' | 'daily' | undefined;
};
/** Back from now: 1 is in five-minute steps, up to 10 hourly, above that daily at midnight (UTC). */
export type Days = { days: number };
export type Readiness = { status: 'ok'; warnings: string[] };

type Parameters = Record<string, string | number | undefined>;
type Call = CallOptions & Partial<Pick<Question, 'withKey' | 'retries'>>;

const pairs = (parameters: Parameters) =>
  Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );

const HISTORY = '/v1/prices/history';

/**
 * A client for a Quotient service. Amounts are US dollars unless a call names a currency, dates are UTC. Every method rejects with a `QuotientError`,
 * or with the reason of the call's signal.
 */
export class QuotientClient {
  readonly #options: QuotientClientOptions;
  readonly #transport: Transport;
  readonly #answers = new WeakMap<object, Answer>();
  #allowance: Allowance | undefined;

  /** Throws `TypeError` for invalid options. Sends nothing. */
  constructor(options: QuotientClientOptions) {
    const { onAnswer } = options;
    this.#options = { ...options };
    this.#transport = createTransport(options.baseUrl, {
      ...options,
      onAnswer: (answer) => {
        if (answer.allowance) this.#allowance = answer.allowance;
        onAnswer?.(answer);
      },
    });
  }

  /** The allowance according to the last priced answer; undefined before the first. */
  get allowance(): Allowance | undefined {
    return this.#allowance;
  }

  /** A client with the same options and another key, such as one from `createUser` or `rotate`. */
  withKey(apiKey: string): QuotientClient {
    return new QuotientClient({ ...this.#options, apiKey });
  }

  /** Metadata of a result of this client: its age, gaps, sources. */
  about(result: object): Answer | undefined {
    return this.#answers.get(result);
  }

  /** Registers a user. The key cannot be shown again. Not retried. */
  createUser({ name, email, plan }: Registration, call?: CallOptions): Promise<User> {
    return this.#send('POST', '/v1/user/create', { name, email, plan }, toUser, { ...call, withKey: false });
  }

  /** The user of the key, also when the key has expired. */
  user(call?: CallOptions): Promise<User> {
    return this.#get('/v1/user/data', {}, toUser, call);
  }

  /** The usage of the allowance. Free. */
  usage(call?: CallOptions): Promise<Usage> {
    return this.#get('/v1/user/usage', {}, toUsage, call);
  }

  /**
   * Replaces the key. The old one can still read for `graceSeconds` (0 to 604800, by default 300). This client keeps
   * the old one: continue with `client.withKey(user.apiKey)`.
   */
  rotate({ graceSeconds, ...call }: { graceSeconds?: number | undefined } & CallOptions = {}): Promise<User> {
    return this.#send('POST', '/v1/user/rotate', { graceSeconds }, toUser, call);
  }

  /** Extends the key by one period. Rejects with `renew_too_early` if it has been extended already. */
  renew(call?: CallOptions): Promise<User> {
    return this.#send('POST', '/v1/user/renew', {}, toUser, call);
  }

  /** Deletes the user and all keys. */
  async deleteUser(call?: CallOptions): Promise<void> {
    await this.#transport.ask({
      method: 'DELETE',
      path: '/v1/user',
      withKey: true,
      signal: call?.signal,
    });
  }

  /** The tokens, and what the archive holds for each. Needs no key. */
  tokens(call?: CallOptions): Promise<Token[]> {
    return this.#get('/v1/tokens', {}, toTokens, { ...call, withKey: false });
  }

  /** The sources of the figures, their terms, and the attribution they ask for. Needs no key. */
  sources(call?: CallOptions): Promise<Source[]> {
    return this.#get('/v1/sources', {}, (wire: Source[]) => wire, { ...call, withKey: false });
  }

  latestPrice(tokenName: TokenName, call?: PriceOptions): Promise<LatestPrice> {
    return this.#get('/v1/prices/latest/token', { tokenName, ...priceQuery(call) }, toLatestPrice, call);
  }

  /** The latest prices of up to 100 tokens, in their order. Costs one call for each ten tokens begun. */
  latestPrices(tokenNames: readonly TokenName[], call?: PriceOptions): Promise<TokenPrice[]> {
    const query = { tokenNames: tokenNames.join(), ...priceQuery(call) };
    return this.#get('/v1/prices/latest/tokens', query, toTokenPrices, call);
  }

  /** On-chain statistics. */
  statistics(token: StatisticsSymbol, call?: CallOptions): Promise<TokenStatistics> {
    return this.#get('/v1/prices/latest/stats', { token }, toStatistics, call);
  }

  /** Price, market cap and volume at 00:00 UTC of a date. */
  async priceOn(tokenName: TokenName, date: DateInput, call?: PriceOptions): Promise<DateSnapshot> {
    return this.#get(`${HISTORY}/date`, dateQuery(tokenName, date, call), toSnapshot, call);
  }

  /** The last days. */
  priceHistory(tokenName: TokenName, { days }: Days, call?: PriceOptions): Promise<PriceSeries> {
    const query = { tokenName, days, ...priceQuery(call) };
    return this.#get(`${HISTORY}/days`, query, (wire: []) => toSeries(only(wire)), call);
  }

  /** Between two dates. */
  async priceRange(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<PriceSeries> {
    return this.#get(`${HISTORY}/date/range`, windowQuery(tokenName, window, call), toSeries, call);
  }

  /** Candles of a venue that begin between two dates: of five minutes, an hour or a day. */
  async candles(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<Candle[]> {
    return this.#get(`${HISTORY}/ohlc`, windowQuery(tokenName, window, call), toCandles, call);
  }

  /** `priceOn` as CSV: `date,price,market_cap,total_volume`, times in ISO 8601; with `source` where several have told it. */
  async priceOnCsv(tokenName: TokenName, date: DateInput, call?: PriceOptions): Promise<string> {
    return this.#csv(`${HISTORY}/date`, dateQuery(tokenName, date, call), call);
  }

  /** `priceHistory` as CSV. */
  priceHistoryCsv(tokenName: TokenName, { days }: Days, call?: PriceOptions): Promise<string> {
    return this.#csv(`${HISTORY}/days`, { tokenName, days, ...priceQuery(call) }, call);
  }

  /** `priceRange` as CSV. */
  async priceRangeCsv(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<string> {
    return this.#csv(`${HISTORY}/date/range`, windowQuery(tokenName, window, call), call);
  }

  /** `candles` as CSV: `date,open,high,low,close,volume`. */
  async candlesCsv(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<string> {
    return this.#csv(`${HISTORY}/ohlc`, windowQuery(tokenName, window, call), call);
  }

  /** Whether the service is ready. `warnings` lists what it could not fetch. Not retried. */
  health(call?: CallOptions): Promise<Readiness> {
    return this.#get('/health/ready', {}, (wire: Readiness) => wire, { ...call, withKey: false, retries: 0 });
  }

  /** Requests CSV. */
  async #csv(path: string, parameters: Parameters, call?: CallOptions): Promise<string> {
    const query = pairs(parameters);
    const question = { method: 'GET', path, query, accept: 'text/csv', withKey: true } as const;
    return (await this.#transport.ask({ ...question, signal: call?.signal })).text;
  }

  #get<W, T extends object>(path: string, query: Parameters, read: (wire: W) => T, call?: Call): Promise<T> {
    return this.#send('GET', path, query, read, call);
  }

  /** Requests JSON, and keeps the metadata of the result. */
  async #send<W, T extends object>(
    method: 'GET' | 'POST',
    path: string,
    parameters: Parameters,
    read: (wire: W) => T,
    { signal, withKey = true, retries }: Call = {},
  ): Promise<T> {
    const question = { method, path, query: pairs(parameters), withKey, retries, signal };
    const { answer, text } = await this.#transport.ask(question);
    const result = readAnswer(text, read);
    this.#answers.set(result, answer);
    return result;
  }
}

const priceQuery = ({ currency }: PriceOptions = {}): Parameters => ({ currency });

const dateQuery = (tokenName: TokenName, date: DateInput, call?: PriceOptions): Parameters => ({
  tokenName,
  date: dayFirst(date),
  ...priceQuery(call),
});

const windowQuery = (
  tokenName: TokenName,
  { from, thru, interval }: PriceWindow,
  call?: PriceOptions,
): Parameters => ({
  tokenName,
  fromDate: isoDate(from),
  thruDate: isoDate(thru),
  interval,
  ...priceQuery(call),
});
