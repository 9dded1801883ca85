import type { Allowance, Answer } from './answer.ts';
import { type DateInput, dayFirst, isoDate } from './dates.ts';
import type {
  DateSnapshot,
  LatestPrice,
  PriceSeries,
  StatisticsSymbol,
  Token,
  TokenStatistics,
  Usage,
  User,
} from './records.ts';
import { createTransport, type Question, type Transport, type TransportOptions } from './transport.ts';
import {
  only,
  readAnswer,
  toLatestPrice,
  toSeries,
  toSnapshot,
  toStatistics,
  toTokens,
  toUsage,
  toUser,
} from './wire.ts';

export type QuotientClientOptions = TransportOptions & {
  /** Where the service is, its base path included: `https://example.org/market`. */
  baseUrl: string;
};

/** What every call takes. */
export type CallOptions = {
  /** Ends the call; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
};

export type TokenName = Token['tokenName'];
export type Plan = User['plan'];
export type Registration = { name: string; email: string; plan: Plan };
/** From one date thru another (UTC), both included. `daily` where no interval is given. */
export type PriceWindow = {
  from: DateInput;
  thru: DateInput;
  interval?: 'minute' | 'hourly' | 'daily' | undefined;
};
/** Back from now: 1 is 24 hours in five-minute steps, up to 10 are hours, above that midnights (UTC). */
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
 * Asks a Quotient service. Figures of money are US dollars, dates are UTC. Every method rejects with a
 * `QuotientError`, or with the reason of the call's signal.
 */
export class QuotientClient {
  readonly #options: QuotientClientOptions;
  readonly #transport: Transport;
  readonly #answers = new WeakMap<object, Answer>();
  #allowance: Allowance | undefined;

  /** Throws `TypeError` for options that cannot be; nothing is sent. */
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

  /** What is left of the allowance, as the last priced answer told; undefined before the first. */
  get allowance(): Allowance | undefined {
    return this.#allowance;
  }

  /** A client like this one with another key: the one that `createUser` or `rotate` gave. */
  withKey(apiKey: string): QuotientClient {
    return new QuotientClient({ ...this.#options, apiKey });
  }

  /** What there is to say about a result of this client: how old it is, what it lacks, who told it. */
  about(result: object): Answer | undefined {
    return this.#answers.get(result);
  }

  /** Registers. The key in the answer is shown this once. Not repeated when it fails. */
  createUser({ name, email, plan }: Registration, call?: CallOptions): Promise<User> {
    return this.#send('POST', '/v1/user/create', { name, email, plan }, toUser, { ...call, withKey: false });
  }

  /** The user of the key, also when the key has expired. */
  user(call?: CallOptions): Promise<User> {
    return this.#get('/v1/user/data', {}, toUser, call);
  }

  /** What was used of the allowance. Free of charge. */
  usage(call?: CallOptions): Promise<Usage> {
    return this.#get('/v1/user/usage', {}, toUsage, call);
  }

  /**
   * A new key in the place of this one, which goes on for `graceSeconds` (0 to 604800, 300 where left out), for
   * reading only. This client stays with the old one: go on with `client.withKey(user.apiKey)`.
   */
  rotate({ graceSeconds, ...call }: { graceSeconds?: number | undefined } & CallOptions = {}): Promise<User> {
    return this.#send('POST', '/v1/user/rotate', { graceSeconds }, toUser, call);
  }

  /** One period more. Rejects with `renew_too_early` when there is one ahead already. */
  renew(call?: CallOptions): Promise<User> {
    return this.#send('POST', '/v1/user/renew', {}, toUser, call);
  }

  /** Erases the user. Every key of it is dead from then on. */
  async deleteUser(call?: CallOptions): Promise<void> {
    await this.#transport.ask({
      method: 'DELETE',
      path: '/v1/user',
      withKey: true,
      signal: call?.signal,
    });
  }

  /** The tokens that are served, and what the archive holds of each. Needs no key. */
  tokens(call?: CallOptions): Promise<Token[]> {
    return this.#get('/v1/tokens', {}, toTokens, { ...call, withKey: false });
  }

  latestPrice(tokenName: TokenName, call?: CallOptions): Promise<LatestPrice> {
    return this.#get('/v1/prices/latest/token', { tokenName }, toLatestPrice, call);
  }

  /** On-chain statistics. `client.about(result)?.source` is who told them. */
  statistics(token: StatisticsSymbol, call?: CallOptions): Promise<TokenStatistics> {
    return this.#get('/v1/prices/latest/stats', { token }, toStatistics, call);
  }

  /** The figures of one date, at 00:00 UTC. */
  async priceOn(tokenName: TokenName, date: DateInput, call?: CallOptions): Promise<DateSnapshot> {
    return this.#get(`${HISTORY}/date`, { tokenName, date: dayFirst(date) }, toSnapshot, call);
  }

  /** The last so many days. */
  priceHistory(tokenName: TokenName, { days }: Days, call?: CallOptions): Promise<PriceSeries> {
    return this.#get(`${HISTORY}/days`, { tokenName, days }, (wire: []) => toSeries(only(wire)), call);
  }

  /** From one date thru another. */
  async priceRange(tokenName: TokenName, window: PriceWindow, call?: CallOptions): Promise<PriceSeries> {
    return this.#get(`${HISTORY}/date/range`, windowQuery(tokenName, window), toSeries, call);
  }

  /** The figures of one date as CSV: `date,price,market_cap,total_volume`, times in ISO 8601. */
  async priceOnCsv(tokenName: TokenName, date: DateInput, call?: CallOptions): Promise<string> {
    return this.#csv(`${HISTORY}/date`, { tokenName, date: dayFirst(date) }, call);
  }

  /** The last so many days as CSV. */
  priceHistoryCsv(tokenName: TokenName, { days }: Days, call?: CallOptions): Promise<string> {
    return this.#csv(`${HISTORY}/days`, { tokenName, days }, call);
  }

  /** From one date thru another as CSV. */
  async priceRangeCsv(tokenName: TokenName, window: PriceWindow, call?: CallOptions): Promise<string> {
    return this.#csv(`${HISTORY}/date/range`, windowQuery(tokenName, window), call);
  }

  /** Whether the service can serve, as of now: it is asked once. `warnings` are of what it could not fetch. */
  health(call?: CallOptions): Promise<Readiness> {
    return this.#get('/health/ready', {}, (wire: Readiness) => wire, { ...call, withKey: false, retries: 0 });
  }

  /** Asks for CSV. */
  async #csv(path: string, parameters: Parameters, call?: CallOptions): Promise<string> {
    const query = pairs(parameters);
    const question = { method: 'GET', path, query, accept: 'text/csv', withKey: true } as const;
    return (await this.#transport.ask({ ...question, signal: call?.signal })).text;
  }

  #get<W, T extends object>(path: string, query: Parameters, read: (wire: W) => T, call?: Call): Promise<T> {
    return this.#send('GET', path, query, read, call);
  }

  /** Asks for JSON, and keeps what there is to say about the result. */
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

const windowQuery = (tokenName: TokenName, { from, thru, interval }: PriceWindow): Parameters => ({
  tokenName,
  fromDate: isoDate(from),
  thruDate: isoDate(thru),
  interval,
});
