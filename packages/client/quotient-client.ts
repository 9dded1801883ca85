import type { KeyOptions, NoticeSettings, PendingRegistration, Registration } from './account.ts';
import * as account from './account.ts';
import { readArguments } from './error.ts';
import type {
  ApiKey,
  Candle,
  CreatedKey,
  DateSnapshot,
  LatestPrice,
  MarketSample,
  Notices,
  NoticesWithSecret,
  PriceSeries,
  Source,
  StatisticsSymbol,
  Token,
  TokenPrice,
  TokenStatistics,
  Usage,
  User,
  UserOfKey,
} from './generated/records.ts';
import type { Days, PriceWindow, TokenName } from './prices.ts';
import * as prices from './prices.ts';
import type { DateInput } from './records.ts';
import * as service from './request.ts';
import { type Caller, createCaller, type Readiness, type Request } from './request.ts';
import type { Answer } from './transport/answer.ts';
import type { CallOptions, TransportOptions } from './transport/options.ts';
import type { Allowance } from './transport/retries.ts';

export type QuotientClientOptions = TransportOptions & {
  /** The URL of the service, with its base path: `https://example.org/market`. */
  baseUrl: string | URL;
};

export type PriceOptions = CallOptions & {
  /** The currency of the amounts, such as `eur`; US dollars by default. */
  currency?: string | undefined;
};

/**
 * A client for a Quotient service. Amounts are US dollars unless a call names a currency; dates are UTC. Every method
 * rejects with a `QuotientError`, or with the reason of the call's signal.
 */
export class QuotientClient {
  readonly #options: QuotientClientOptions;
  readonly #caller: Caller;
  #apiKey: string | undefined;

  /** Throws `QuotientError` for invalid options. Sends nothing. */
  constructor(options: QuotientClientOptions) {
    this.#options = readArguments(() => ({ ...options }));
    this.#caller = createCaller(this.#options.baseUrl, this.#options);
    this.#apiKey = this.#options.apiKey;
  }

  /** The allowance according to the latest response of a charged call; undefined before the first. */
  get allowance(): Allowance | undefined {
    return this.#caller.allowance();
  }

  /**
   * A client with the same options and another key, such as the key from `createUser` or `rotate`. With a key that a
   * header cannot carry, calls reject with `api_key_invalid`.
   */
  withKey(apiKey: string): QuotientClient {
    const client = new QuotientClient({ ...this.#options, apiKey: undefined });
    client.#apiKey = apiKey;
    return client;
  }

  /** Metadata of a result of this client: age, gaps, sources. Metadata of CSV is kept for the newest results only. */
  about(result: object | string): Answer | undefined {
    return this.#caller.about(result);
  }

  /**
   * Registers a user. The key is shown once. If the service verifies addresses, the result has no `apiKey`, and the
   * user receives a token for `verify` by mail. Not retried.
   */
  createUser(form: Registration, call?: CallOptions): Promise<User | PendingRegistration> {
    return this.#send(() => account.createUser(form), call);
  }

  /** Completes a registration with the emailed token. The key is shown only once. */
  verify(token: string, call?: CallOptions): Promise<User> {
    return this.#send(() => account.verify(token), call);
  }

  /** Mails a token for each user of the address. No response reveals whether there is one. */
  recover(email: string, call?: CallOptions): Promise<void> {
    return this.#send(() => account.recover(email), call);
  }

  /** Issues a new owner key for the user of a token from `recover`. The previous owner keys are revoked. */
  confirmRecovery(token: string, call?: CallOptions): Promise<User> {
    return this.#send(() => account.confirmRecovery(token), call);
  }

  /** The user of the key, even if the key has expired. Without the scope `account`, `name` and `email` are null. */
  user(call?: CallOptions): Promise<UserOfKey> {
    return this.#send(account.user, call);
  }

  /** The usage of the allowance. Free of charge. */
  usage(call?: CallOptions): Promise<Usage> {
    return this.#send(account.usage, call);
  }

  /**
   * Replaces the key. The old key still reads for `graceSeconds` (0 to 604800, by default 300). This client
   * keeps the old key: continue with `client.withKey(user.apiKey)`.
   */
  rotate(options?: { graceSeconds?: number | undefined } & CallOptions): Promise<User> {
    return this.#send(() => account.rotate(options?.graceSeconds), options);
  }

  /** Extends the key by one period. Rejects with `renew_too_early` if it is extended already. */
  renew(call?: CallOptions): Promise<User> {
    return this.#send(account.renew, call);
  }

  /** Deletes the user and all of its keys. */
  deleteUser(call?: CallOptions): Promise<void> {
    return this.#send(account.deleteUser, call);
  }

  /** Creates a key that is limited to its scopes. It is shown only once. Requires the owner key. */
  createKey(options: KeyOptions, call?: CallOptions): Promise<CreatedKey> {
    return this.#send(() => account.createKey(options), call);
  }

  /** The keys of the user without their secrets, newest first. Requires the owner key. */
  keys(call?: CallOptions): Promise<ApiKey[]> {
    return this.#send(account.keys, call);
  }

  /** Deletes a key by its `id`. Requires the owner key; the last owner key cannot be deleted. */
  deleteKey(id: number, call?: CallOptions): Promise<void> {
    return this.#send(() => account.deleteKey(id), call);
  }

  /** The notice settings. Requires the owner key. */
  notices(call?: CallOptions): Promise<Notices> {
    return this.#send(account.notices, call);
  }

  /** Sets the notices. Returns `webhookSecret` only when the URL is new or changed. Requires the owner key. */
  setNotices(settings: NoticeSettings, call?: CallOptions): Promise<NoticesWithSecret> {
    return this.#send(() => account.setNotices(settings), call);
  }

  /** The tokens, and the archived range of each. Requires no key. */
  tokens(call?: CallOptions): Promise<Token[]> {
    return this.#send(service.tokens, call);
  }

  /** The data sources, their terms, and their attribution. Requires no key. */
  sources(call?: CallOptions): Promise<Source[]> {
    return this.#send(service.sources, call);
  }

  /** The latest price of one token and its last 30 days. Requires no key. */
  sample(call?: CallOptions): Promise<MarketSample> {
    return this.#send(service.sample, call);
  }

  /** Whether the service is ready. `warnings` lists the data that it could not fetch. Not retried. */
  health(call?: CallOptions): Promise<Readiness> {
    return this.#send(service.health, call);
  }

  /** The latest price of a token, its market data, and its all-time high and low. */
  latestPrice(tokenName: TokenName, call?: PriceOptions): Promise<LatestPrice> {
    return this.#send(() => prices.latestPrice(tokenName, call), call);
  }

  /** The latest prices of up to 100 tokens, in their order. One call is charged for every ten tokens, rounded up. */
  latestPrices(tokenNames: readonly TokenName[], call?: PriceOptions): Promise<TokenPrice[]> {
    return this.#send(() => prices.latestPrices(tokenNames, call), call);
  }

  /** On-chain statistics. */
  statistics(token: StatisticsSymbol, call?: CallOptions): Promise<TokenStatistics> {
    return this.#send(() => prices.statistics(token), call);
  }

  /** Price, market cap and volume at 00:00 UTC of a date. */
  priceOn(tokenName: TokenName, date: DateInput, call?: PriceOptions): Promise<DateSnapshot> {
    return this.#send(() => prices.priceOn(tokenName, date, call), call);
  }

  /** The prices of the last days. */
  priceHistory(tokenName: TokenName, days: Days, call?: PriceOptions): Promise<PriceSeries> {
    return this.#send(() => prices.priceHistory(tokenName, days, call), call);
  }

  /** The prices between two dates. */
  priceRange(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<PriceSeries> {
    return this.#send(() => prices.priceRange(tokenName, window, call), call);
  }

  /** Candles that begin between two dates: of five minutes, an hour or a day. */
  candles(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<Candle[]> {
    return this.#send(() => prices.candles(tokenName, window, call), call);
  }

  /** `priceOn` as CSV: `date,price,market_cap,total_volume`, times for spreadsheets, `source` if there are several. */
  priceOnCsv(tokenName: TokenName, date: DateInput, call?: PriceOptions): Promise<string> {
    return this.#send(() => prices.asCsv(prices.priceOn(tokenName, date, call)), call);
  }

  /** `priceHistory` as CSV. */
  priceHistoryCsv(tokenName: TokenName, days: Days, call?: PriceOptions): Promise<string> {
    return this.#send(() => prices.asCsv(prices.priceHistory(tokenName, days, call)), call);
  }

  /** `priceRange` as CSV. */
  priceRangeCsv(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<string> {
    return this.#send(() => prices.asCsv(prices.priceRange(tokenName, window, call)), call);
  }

  /** `candles` as CSV: `date,open,high,low,close,volume`. */
  candlesCsv(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<string> {
    return this.#send(() => prices.asCsv(prices.candles(tokenName, window, call)), call);
  }

  #send<T>(request: () => Request<T>, call: CallOptions | undefined): Promise<T> {
    return this.#caller.send(request, this.#apiKey, call);
  }
}
