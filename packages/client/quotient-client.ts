import type { KeyChanges, KeyOptions, NoticeSettings, PendingRegistration, Registration, UsageBy } from './account.ts';
import * as account from './account.ts';
import { readArguments } from './error.ts';
import type {
  Announcement,
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
  StreamedPrice,
  StreamTicket,
  Token,
  TokenPrice,
  TokenStatistics,
  Usage,
  User,
  UserExport,
  UserOfKey,
} from './generated/records.ts';
import type { CsvOptions, Days, PriceOptions, PriceWindow, TokenName } from './prices.ts';
import * as prices from './prices.ts';
import type { DateInput } from './records.ts';
import * as service from './request.ts';
import { type Caller, createCaller, type Readiness, type Request } from './request.ts';
import { type StreamOptions, streamPrices } from './stream/price-stream.ts';
import type { Answer } from './transport/answer.ts';
import type { CallOptions, TransportOptions } from './transport/options.ts';
import type { Allowance } from './transport/retries.ts';

export type QuotientClientOptions = TransportOptions & {
  /** The URL of the service, including its base path: `https://example.org/market`. */
  baseUrl: string | URL;
};

/**
 * A client for a Quotient service. Amounts are in US dollars unless a call sets `currency`. Dates are in UTC. Every
 * method rejects with a `QuotientError`, or with the reason of the call's signal.
 */
export class QuotientClient {
  readonly #options: QuotientClientOptions;
  readonly #caller: Caller;
  #apiKey: string | undefined;

  /** Throws `QuotientError` for invalid options. Sends no request. */
  constructor(options: QuotientClientOptions) {
    this.#options = readArguments(() => ({ ...options }));
    this.#caller = createCaller(this.#options.baseUrl, this.#options);
    this.#apiKey = this.#options.apiKey;
  }

  /** The allowance reported by the latest charged call; undefined before the first charged call. */
  get allowance(): Allowance | undefined {
    return this.#caller.allowance();
  }

  /**
   * Returns a client with the same options and another key, such as the key from `createUser` or `rotate`. If the key
   * is not valid as a header value, calls reject with `api_key_invalid`.
   */
  withKey(apiKey: string): QuotientClient {
    const client = new QuotientClient({ ...this.#options, apiKey: undefined });
    client.#apiKey = apiKey;
    return client;
  }

  /** The metadata of a result from this client: age, gaps, sources. Only the latest CSV results have metadata. */
  about(result: object | string): Answer | undefined {
    return this.#caller.about(result);
  }

  /**
   * Registers a user and returns the owner key, which is shown only once. If the service confirms email addresses, the
   * result has no `apiKey`, and the user receives a token for `verify` by email. Not retried.
   */
  createUser(form: Registration, call?: CallOptions): Promise<User | PendingRegistration> {
    return this.#send(() => account.createUser(form), call);
  }

  /** Completes a registration with the emailed token and returns the owner key, which is shown only once. */
  verify(token: string, call?: CallOptions): Promise<User> {
    return this.#send(() => account.verify(token), call);
  }

  /** Emails a token for each user with this address. The response does not reveal whether such a user exists. */
  recover(email: string, call?: CallOptions): Promise<void> {
    return this.#send(() => account.recover(email), call);
  }

  /** Issues a new owner key for a token from `recover`, and revokes the user's previous owner keys. */
  confirmRecovery(token: string, call?: CallOptions): Promise<User> {
    return this.#send(() => account.confirmRecovery(token), call);
  }

  /** The key's user, even if the key has expired. `name` and `email` are null without the scope `account`. */
  user(call?: CallOptions): Promise<UserOfKey> {
    return this.#send(account.user, call);
  }

  /**
   * The number of calls in the current period and on each of the last 31 days, also by key or path if `by` is set. Not
   * charged.
   */
  usage(options?: { by?: UsageBy | undefined } & CallOptions): Promise<Usage> {
    return this.#send(() => account.usage(options?.by), options);
  }

  /** Everything that is stored about the user, without secrets. Requires the owner key. */
  exportUser(call?: CallOptions): Promise<UserExport> {
    return this.#send(account.exportUser, call);
  }

  /**
   * Replaces the key. For `graceSeconds` (0 to 604800, 300 by default), the old key remains valid for reading only.
   * This client continues to use the old key; to use the new one, call `client.withKey(user.apiKey)`.
   */
  rotate(options?: { graceSeconds?: number | undefined } & CallOptions): Promise<User> {
    return this.#send(() => account.rotate(options?.graceSeconds), options);
  }

  /** Renews the plan for one period. Rejects with `renew_too_early` if the next period is already added. */
  renew(call?: CallOptions): Promise<User> {
    return this.#send(account.renew, call);
  }

  /** Deletes the user and revokes all of the user's keys. */
  deleteUser(call?: CallOptions): Promise<void> {
    return this.#send(account.deleteUser, call);
  }

  /** Creates a key that is limited to its scopes. The key is shown only once. Requires the owner key. */
  createKey(options: KeyOptions, call?: CallOptions): Promise<CreatedKey> {
    return this.#send(() => account.createKey(options), call);
  }

  /** The user's keys without their secrets, newest first. Requires the owner key. */
  keys(call?: CallOptions): Promise<ApiKey[]> {
    return this.#send(account.keys, call);
  }

  /** Changes a key by its `id`, and returns it without its secret. Requires the owner key. */
  updateKey(id: number, changes: KeyChanges, call?: CallOptions): Promise<ApiKey> {
    return this.#send(() => account.updateKey(id, changes), call);
  }

  /** Deletes a key by its `id`. The last owner key cannot be deleted. Requires the owner key. */
  deleteKey(id: number, call?: CallOptions): Promise<void> {
    return this.#send(() => account.deleteKey(id), call);
  }

  /** The notice settings. Requires the owner key. */
  notices(call?: CallOptions): Promise<Notices> {
    return this.#send(account.notices, call);
  }

  /** Replaces the notice settings. `webhookSecret` is returned only for a new webhook URL. Requires the owner key. */
  setNotices(settings: NoticeSettings, call?: CallOptions): Promise<NoticesWithSecret> {
    return this.#send(() => account.setNotices(settings), call);
  }

  /** The tokens, with the range of dates that the archive covers. Requires no key. */
  tokens(call?: CallOptions): Promise<Token[]> {
    return this.#send(service.tokens, call);
  }

  /** The data sources, their terms, and their attribution. Requires no key. */
  sources(call?: CallOptions): Promise<Source[]> {
    return this.#send(service.sources, call);
  }

  /** The latest price of one token and its prices over the last 30 days. Requires no key. */
  sample(call?: CallOptions): Promise<MarketSample> {
    return this.#send(service.sample, call);
  }

  /** The operator's message to all users; its members are null if there is none. Requires no key. */
  announcement(call?: CallOptions): Promise<Announcement> {
    return this.#send(service.announcement, call);
  }

  /** The service's readiness. `warnings` lists the data that the service could not fetch. Not retried. */
  health(call?: CallOptions): Promise<Readiness> {
    return this.#send(service.health, call);
  }

  /** The latest price of a token, its market data, and its all-time high and low. `about` returns the sources. */
  latestPrice(tokenName: TokenName, call?: PriceOptions): Promise<LatestPrice> {
    return this.#send(() => prices.latestPrice(tokenName, call), call);
  }

  /**
   * The latest prices of up to 100 tokens, in the order of the request, with `change_24h` as a percentage. One call
   * is charged for every ten tokens, rounded up.
   */
  latestPrices(tokenNames: readonly TokenName[], call?: PriceOptions): Promise<TokenPrice[]> {
    return this.#send(() => prices.latestPrices(tokenNames, call), call);
  }

  /** Prices as they change. */
  readonly prices = {
    /**
     * The latest prices of up to 100 tokens: first one of each token, then each change. Reconnects until the signal
     * aborts or an attempt cannot succeed. One call is charged for every ten tokens, rounded up, for each started
     * minute. End the stream with `break`, `return()` or a signal.
     */
    stream: (tokenNames: readonly TokenName[], options?: StreamOptions): AsyncGenerator<StreamedPrice, void> => {
      const { timeout, headers } = options ?? {};
      const request = () => prices.stream(tokenNames, options);
      const open = (signal: AbortSignal) =>
        this.#caller.open(request, this.#apiKey, 'text/event-stream', { signal, timeout, headers });
      return streamPrices(open, options);
    },

    /** A ticket that opens one stream without a key, for `EventSource`: `/v1/prices/stream?ticket=…`. Not charged. */
    ticket: (call?: CallOptions): Promise<StreamTicket> => this.#send(prices.streamTicket, call),
  };

  /** On-chain statistics of a token. A field that the data source does not provide is null. */
  statistics(token: StatisticsSymbol, call?: CallOptions): Promise<TokenStatistics> {
    return this.#send(() => prices.statistics(token), call);
  }

  /** Price, market cap and volume at 00:00 UTC of a date. Rejects with `no_data` for a date before the listing. */
  priceOn(tokenName: TokenName, date: DateInput, call?: PriceOptions): Promise<DateSnapshot> {
    return this.#send(() => prices.priceOn(tokenName, date, call), call);
  }

  /** The prices, market caps and volumes over the last `days`: three lists of `{ date, price }`, oldest first. */
  priceHistory(tokenName: TokenName, days: Days, call?: PriceOptions): Promise<PriceSeries> {
    return this.#send(() => prices.priceHistory(tokenName, days, call), call);
  }

  /** The prices, market caps and volumes between two dates: three lists of `{ date, price }`, oldest first. */
  priceRange(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<PriceSeries> {
    return this.#send(() => prices.priceRange(tokenName, window, call), call);
  }

  /** Candles from Kraken that start between two dates. The interval `minute` returns five-minute candles. */
  candles(tokenName: TokenName, window: PriceWindow, call?: PriceOptions): Promise<Candle[]> {
    return this.#send(() => prices.candles(tokenName, window, call), call);
  }

  /** `priceOn` as CSV: `date,price,market_cap,total_volume`, and `source` if the data have several sources. */
  priceOnCsv(tokenName: TokenName, date: DateInput, call?: CsvOptions): Promise<string> {
    return this.#send(() => prices.asCsv(prices.priceOn(tokenName, date, call), call), call);
  }

  /** `priceHistory` as CSV. */
  priceHistoryCsv(tokenName: TokenName, days: Days, call?: CsvOptions): Promise<string> {
    return this.#send(() => prices.asCsv(prices.priceHistory(tokenName, days, call), call), call);
  }

  /** `priceRange` as CSV. */
  priceRangeCsv(tokenName: TokenName, window: PriceWindow, call?: CsvOptions): Promise<string> {
    return this.#send(() => prices.asCsv(prices.priceRange(tokenName, window, call), call), call);
  }

  /** `candles` as CSV: `date,open,high,low,close,volume`. */
  candlesCsv(tokenName: TokenName, window: PriceWindow, call?: CsvOptions): Promise<string> {
    return this.#send(() => prices.asCsv(prices.candles(tokenName, window, call), call), call);
  }

  #send<T>(request: () => Request<T>, call: CallOptions | undefined): Promise<T> {
    return this.#caller.send(request, this.#apiKey, call);
  }
}
