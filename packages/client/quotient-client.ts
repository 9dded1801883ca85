import { AccountClient } from './account-client.ts';
import { readArguments } from './error.ts';
import type {
  Announcement,
  Candle,
  DateSnapshot,
  LatestPrice,
  MarketSample,
  PriceSeries,
  Source,
  StatisticsSymbol,
  StreamedPrice,
  StreamTicket,
  Token,
  TokenPrice,
  TokenStatistics,
} from './generated/records.ts';
import type { CandleWindow, CsvOptions, Days, PriceOptions, PriceWindow, TokenName } from './prices.ts';
import * as prices from './prices.ts';
import {
  type DateInput,
  each,
  object,
  record,
  toLatestPrice,
  toSample,
  toStatistics,
  toTicket,
  toTokenPrices,
  toTokens,
} from './records.ts';
import { type Caller, createCaller, get, json, list, nothing, post, type Readiness, type Request } from './request.ts';
import { type StreamOptions, streamPrices } from './stream/price-stream.ts';
import type { Answer } from './transport/answer.ts';
import { type CallOptions, type TransportOptions, takeUrlKey } from './transport/options.ts';
import type { Allowance } from './transport/retries.ts';

export type QuotientClientOptions = TransportOptions & {
  /** The URL of the service, including its base path: `https://example.org/market`. It may contain a URL key. */
  baseUrl: string | URL;
};

/**
 * A client for a Quotient service. Amounts are in US dollars unless a call sets `currency`. Dates are in UTC. Every
 * method rejects with a `QuotientError`, or with the reason of the call's signal.
 */
export class QuotientClient extends AccountClient {
  readonly #options: Omit<QuotientClientOptions, 'baseUrl'> & { baseUrl: unknown };
  readonly #caller: Caller;
  #apiKey: string | undefined;

  /** Throws `QuotientError` for invalid options. Sends no request. */
  constructor(options: QuotientClientOptions) {
    const copy = readArguments(() => ({ ...options, ...takeUrlKey(options.baseUrl, options.apiKey) }));
    const caller = createCaller(copy.baseUrl, copy);
    super((request, call) => this.#send(request, call));
    this.#options = copy;
    this.#caller = caller;
    this.#apiKey = copy.apiKey;
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
    const client = new QuotientClient({ ...this.#options, apiKey: undefined } as QuotientClientOptions);
    client.#apiKey = apiKey;
    return client;
  }

  /** The metadata of a result from this client: age, gaps, sources. Only the latest CSV results have metadata. */
  about(result: object | string): Answer | undefined {
    return this.#caller.about(result);
  }

  /** The tokens, with the range of dates that the archive covers. Requires no key. */
  tokens(call?: CallOptions): Promise<Token[]> {
    return this.#send(() => get('/v1/tokens', json(toTokens), { isPublic: true }), call);
  }

  /** The data sources, their terms, and their attribution. Requires no key. */
  sources(call?: CallOptions): Promise<Source[]> {
    return this.#send(() => get('/v1/sources', json(each(object<Source>)), { isPublic: true }), call);
  }

  /** The latest price of one token and its prices over the last 30 days. Requires no key. */
  sample(call?: CallOptions): Promise<MarketSample> {
    return this.#send(() => get('/v1/sample', json(toSample), { isPublic: true }), call);
  }

  /** The operator's message to all users; its members are null if there is none. Requires no key. */
  announcement(call?: CallOptions): Promise<Announcement> {
    const read = json(record<Announcement>([], ['until']));
    return this.#send(() => get('/v1/announcement', read, { isPublic: true }), call);
  }

  /** The service's readiness. `warnings` lists the data that the service could not fetch. Not retried. */
  health(call?: CallOptions): Promise<Readiness> {
    const read = json(object<Readiness>);
    return this.#send(() => get('/health/ready', read, { isPublic: true, retries: 0 }), call);
  }

  /** The latest price of a token, its market data, and its all-time high and low. `about` returns the sources. */
  latestPrice(tokenName: TokenName, call?: PriceOptions): Promise<LatestPrice> {
    const request = () =>
      get('/v1/prices/latest/token', json(toLatestPrice), { query: { tokenName, ...prices.inCurrency(call) } });
    return this.#send(request, call);
  }

  /**
   * The latest prices of up to 100 tokens, in the order of the request, with `change_24h` as a percentage and, with
   * `sparkline`, the prices of the last 24 hours. One call is charged for every ten tokens, rounded up.
   */
  latestPrices(
    tokenNames: readonly TokenName[],
    call?: PriceOptions & { sparkline?: boolean | undefined },
  ): Promise<TokenPrice[]> {
    const request = () => {
      const sparkline = call?.sparkline || undefined;
      const query = { tokenNames: list('tokenNames', tokenNames), sparkline, ...prices.inCurrency(call) };
      return get('/v1/prices/latest/tokens', json(toTokenPrices), { query });
    };
    return this.#send(request, call);
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
      const request = () => {
        const query = { tokenNames: list('tokenNames', tokenNames), currency: options?.currency };
        return get('/v1/prices/stream', nothing, { query });
      };
      const open = (signal: AbortSignal) =>
        this.#caller.open(request, this.#apiKey, 'text/event-stream', { signal, timeout, headers });
      return streamPrices(open, options);
    },

    /** A ticket that opens one stream without a key, for `EventSource`: `/v1/prices/stream?ticket=…`. Not charged. */
    ticket: (call?: CallOptions): Promise<StreamTicket> =>
      this.#send(() => post('/v1/prices/stream/tickets', json(toTicket)), call),
  };

  /** On-chain statistics of a token. A field that the data source does not provide is null. */
  statistics(token: StatisticsSymbol, call?: CallOptions): Promise<TokenStatistics> {
    return this.#send(() => get('/v1/prices/latest/stats', json(toStatistics), { query: { token } }), call);
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
  candles(tokenName: TokenName, window: CandleWindow, call?: PriceOptions): Promise<Candle[]> {
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
  candlesCsv(tokenName: TokenName, window: CandleWindow, call?: CsvOptions): Promise<string> {
    return this.#send(() => prices.asCsv(prices.candles(tokenName, window, call), call), call);
  }

  #send<T>(request: () => Request<T>, call: CallOptions | undefined): Promise<T> {
    return this.#caller.send(request, this.#apiKey, call);
  }
}
