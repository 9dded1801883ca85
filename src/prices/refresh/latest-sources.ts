import type { TokenName } from '#catalogue/token';
import { type Clock, MINUTE } from '#core/clock';
import { type Fetch, latestFetchOf } from '#prices/latest/latest-cache';
import { type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { OpenedExchange } from '#prices/sources/open-exchange';
import type { FetchRunner } from '#upstream/fetch-runner';
import { ageAt, type Warning } from '#upstream/freshness';
import type { Fetches, Recorder } from './fetches.ts';
import { createMissingTokens } from './missing-tokens.ts';
import type { RefreshDeps } from './refresh-deps.ts';
import type { Schedule } from './refresh-schedule.ts';

/** How often an exchange's latest prices are fetched, in ms. */
const EXCHANGE_INTERVAL = MINUTE;

/** A source of latest prices, as the failover uses it. */
export type LatestSource = {
  name: MarketSourceName;
  resource: Fetch;
  /** Whether the source can have a price of a token. */
  lists(token: TokenName): boolean;
  /** The age from which a price is due, in ms. It is infinite while the budget is spent. */
  dueAfter(): number;
  /** The interval at which prices arrive while the source works, in ms. */
  interval(): number;
  hasBudget(): boolean;
  /** The age of a token's latest price, or of the last request for it, in ms. */
  age(token: TokenName): number;
  /** When this process last received a response to a request for a token's price (Unix ms). */
  respondedAt(token: TokenName): number | undefined;
  /** The maximum number of tokens per fetch. */
  batch: number;
  /** Fetches and stores the prices of some tokens. */
  fetch(tokens: readonly TokenName[]): Promise<void>;
  /** Requests a token that the last response lacked, if that may help. */
  retryMissing?(token: TokenName, runner: FetchRunner<Fetch>): Promise<void>;
  /** Called after each good response. */
  afterResponse?(): void;
  warnings?(): Warning[];
};

/** The age of a price, or of the last request for it if that is more recent. Times are in Unix ms. */
const youngest = (now: number, ...times: (number | undefined)[]): number =>
  Math.min(...times.map((at) => ageAt(at, now)));

/** When this process last received a response to a request for each token (Unix ms). */
function createResponseTimes(clock: Clock) {
  const times = new Map<TokenName, number>();
  return {
    of: (token: TokenName): number | undefined => times.get(token),
    note(tokens: readonly TokenName[]): void {
      for (const token of tokens) times.set(token, clock.now());
    },
  };
}

export function createExchangeLatest(
  { archive, clock }: RefreshDeps,
  { recorder, ...exchange }: OpenedExchange & { recorder: Recorder },
): LatestSource {
  const { name, batch, lists } = exchange;
  const resource = latestFetchOf(name);
  const responses = createResponseTimes(clock);
  const isOneFetch = batch === Number.POSITIVE_INFINITY;

  return {
    name,
    resource,
    batch,
    lists,
    dueAfter: () => EXCHANGE_INTERVAL,
    interval: () => EXCHANGE_INTERVAL,
    hasBudget: () => true,
    respondedAt: responses.of,

    /** The last fetch may have contained only the tokens that were in demand. */
    age(token) {
      const ofAll = isOneFetch && archive.latest(token) ? archive.fetchedAt(resource) : undefined;
      return youngest(clock.now(), ofAll, archive.latestOf(token, name)?.fetchedAt, responses.of(token));
    },

    async fetch(tokens) {
      const quotes = await exchange.quotes(tokens);
      responses.note(tokens);
      await recorder.quotes(resource, quotes, clock.now());
    },
  };
}

/** CoinGecko's latest prices. Tokens that a response lacks are requested again without the other tokens. */
export function createPrimaryLatest(deps: RefreshDeps, fetches: Fetches, schedule: Schedule): LatestSource {
  const { archive, demand, singleFlight, clock } = deps;
  const responses = createResponseTimes(clock);
  const missing = createMissingTokens(clock);

  async function fetch(tokens: readonly TokenName[], resource: 'latest' | 'latest-missing'): Promise<void> {
    const result = await fetches.latest(tokens, resource);
    missing.note(tokens, result.missing);
    responses.note(tokens);
    // A token may be missing only from the response for all tokens, so its absence there proves nothing.
    const unpriced = resource === 'latest' ? result.unpriced : [...result.unpriced, ...result.missing];
    if (unpriced.length > 0) await demand.unpriced(unpriced);
  }

  const fetchMissing = (): Promise<void> => missing.request((tokens) => fetch(tokens, 'latest-missing'));

  return {
    name: PRIMARY_SOURCE,
    resource: 'latest',
    batch: Number.POSITIVE_INFINITY,
    lists: () => true,
    dueAfter: () => schedule.current().latest,
    interval: schedule.latestEvery,
    hasBudget: schedule.hasBudget,
    respondedAt: responses.of,
    warnings: missing.warnings,

    /**
     * If no price of a newly requested token is stored, the token is due immediately. Otherwise, it is due early only
     * if the budget has spare calls.
     */
    age(token) {
      const now = clock.now();
      const ofAll = ageAt(archive.fetchedAt('latest'), now);
      const own = youngest(now, archive.latestOf(token, PRIMARY_SOURCE)?.fetchedAt, responses.of(token));
      return Number.isFinite(own) && ofAll < schedule.current().early ? ofAll : own;
    },

    fetch: (tokens) => fetch(tokens, 'latest'),

    afterResponse(): void {
      if (missing.isDue() && schedule.hasBudget()) singleFlight.start('latest-missing', fetchMissing);
    },

    async retryMissing(token, runner): Promise<void> {
      if (!archive.latest(token) && missing.isAwaited(token)) await runner.run('latest-missing', 'end', fetchMissing);
    },
  };
}
