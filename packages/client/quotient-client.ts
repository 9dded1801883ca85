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
import type { Readiness, Request } from './request.ts';
import * as service from './request.ts';
import { type Caller, createCaller } from './request.ts';
import type { Answer } from './transport/answer.ts';
import type { CallOptions, TransportOptions } from './transport/options.ts';
import type { Allowance } from './transport/retries.ts';

export type QuotientClientOptions = TransportOptions & {
  /** The URL of the service, with its base path: `https://example.org/market`. */
  baseUrl: string | URL;
};

/** The options of a call for prices. */
export type PriceOptions = CallOptions & {
  /** What the figures are in, such as `eur`; US dollars by default. */
  currency?: string | undefined;
};

/**
 * A client for a Quotient service. Amounts are US dollars unless a call names a currency, dates are UTC. Every method
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

  /** The allowance according to the last priced answer; undefined before the first. */
  get allowance(): Allowance | undefined {
    return this.#caller.allowance();
  }

  /**
   * A client with the same options and another key, such as one from `createUser` or `rotate`. With a key that no
   * request can carry, calls reject with `api_key_invalid`.
   */
  withKey(apiKey: string): QuotientClient {
    const client = new QuotientClient({ ...this.#options, apiKey: undefined });
    client.#apiKey = apiKey;
    return client;
  }

  /** Metadata of a result of this client: its age, gaps, sources. Of CSV, while it is one of the newest results. */
  about(result: object | string): Answer | undefined {
    return this.#caller.about(result);
  }

  /**
   * Registers a user. The key cannot be shown again. Where the service registers nobody unverified, the result has no
   * `apiKey`: a token was mailed, which `verify` takes. Not retried.
   */
  createUser(form: Registration, call?: CallOptions): Promise<User | PendingRegistration> {
    return this.#send(() => account.createUser(form), call);
  }

  /** Registers the user whose mail had the token. The key cannot be shown again. */
  verify(token: string, call?: CallOptions): Promise<User> {
    return this.#send(() => account.verify(token), call);
  }

  /** Has a mail sent with a token for each user of the address, whether there is one or not. */
  recover(email: string, call?: CallOptions): Promise<void> {
    return this.#send(() => account.recover(email), call);
  }

  /** The user of a token from `recover`, with a new owner key. The old owner keys are dead. */
  confirmRecovery(token: string, call?: CallOptions): Promise<User> {
    return this.#send(() => account.confirmRecovery(token), call);
  }

  /**
   * Reads the user of the key, also when the key has expired. `name` and `email` are null for a key without the scope
   * `account`.
   */
  user(call?: CallOptions): Promise<UserOfKey> {
    return this.#send(account.user, call);
  }

  /** The usage of the allowance. Free. */
  usage(call?: CallOptions): Promise<Usage> {
    return this.#send(account.usage, call);
  }

  /**
   * Replaces the key. The old one can still read for `graceSeconds` (0 to 604800, by default 300). This client keeps
   * the old one: continue with `client.withKey(user.apiKey)`.
   */
  rotate(options?: { graceSeconds?: number | undefined } & CallOptions): Promise<User> {
    return this.#send(() => account.rotate(options?.graceSeconds), options);
  }

  /** Extends the key by one period. Rejects with `renew_too_early` if it has been extended already. */
  renew(call?: CallOptions): Promise<User> {
    return this.#send(account.renew, call);
  }

  /** Deletes the user and all keys. */
  deleteUser(call?: CallOptions): Promise<void> {
    return this.#send(account.deleteUser, call);
  }

  /** Makes a key that can do no more than its scopes. It cannot be shown again. Needs the owner key. */
  createKey(options: KeyOptions, call?: CallOptions): Promise<CreatedKey> {
    return this.#send(() => account.createKey(options), call);
  }

  /** The keys of the user without their secrets, the newest first. Needs the owner key. */
  keys(call?: CallOptions): Promise<ApiKey[]> {
    return this.#send(account.keys, call);
  }

  /** Deletes a key by its `id`. Needs the owner key, of which one must be left. */
  deleteKey(id: number, call?: CallOptions): Promise<void> {
    return this.#send(() => account.deleteKey(id), call);
  }

  /** Which notices the user gets. Needs the owner key. */
  notices(call?: CallOptions): Promise<Notices> {
    return this.#send(account.notices, call);
  }

  /** Sets the notices. The `webhookSecret` is told once, when the address is new or changed. Needs the owner key. */
  setNotices(settings: NoticeSettings, call?: CallOptions): Promise<NoticesWithSecret> {
    return this.#send(() => account.setNotices(settings), call);
  }

  /** The tokens, and what the archive holds for each. Needs no key. */
  tokens(call?: CallOptions): Promise<Token[]> {
    return this.#send(service.tokens, call);
  }

  /** The sources of the figures, their terms, and the attribution they ask for. Needs no key. */
  sources(call?: CallOptions): Promise<Source[]> {
    return this.#send(service.sources, call);
  }

  /** A sample of the figures: the latest price of a token and its last 30 days. Needs no key. */
  sample(call?: CallOptions): Promise<MarketSample> {
    return this.#send(service.sample, call);
  }

  /** Whether the service is ready. `warnings` lists what it could not fetch. Not retried. */
  health(call?: CallOptions): Promise<Readiness> {
    return this.#send(service.health, call);
  }

  /** The latest price of a token, its market and its all-time high and low. */
  latestPrice(tokenName: TokenName, call?: PriceOptions): Promise<LatestPrice> {
    return this.#send(() => prices.latestPrice(tokenName, call), call);
  }

  /** The latest prices of up to 100 tokens, in their order. Costs one call for each ten tokens begun. */
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

  /** The last days. */
  priceHistory(tokenName: TokenName, days: Days, call?: PriceOptions): Promise<PriceSeries> {
    return this.#send(() => prices.priceHistory(tokenName, days, call), call);
  }

  /** Between two dates. */
  priceRange(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<PriceSeries> {
    return this.#send(() => prices.priceRange(tokenName, window, call), call);
  }

  /** Candles of a venue that begin between two dates: of five minutes, an hour or a day. */
  candles(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<Candle[]> {
    return this.#send(() => prices.candles(tokenName, window, call), call);
  }

  /** `priceOn` as CSV: `date,price,market_cap,total_volume`, times as spreadsheets read them; with `source` where several have told it. */
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
