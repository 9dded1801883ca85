import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, MINUTE } from '#core/clock';
import { type Fetch, latestFetchOf } from '#prices/latest/latest-cache';
import { type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { OpenedExchange } from '#prices/sources/open-exchange';
import type { FetchRunner } from '#upstream/fetch-runner';
import { ageAt, type Warning } from '#upstream/freshness';
import type { Fetches } from './fetches.ts';
import type { Recorder } from './recorder.ts';
import type { RefreshDeps } from './refresh-deps.ts';
import type { Schedule } from './refresh-schedule.ts';

/** The pause after the first separate request for missing tokens, in ms. It doubles with each further request. */
const FIRST_PAUSE = 10 * MINUTE;
const LONGEST_PAUSE = DAY;
/** How long a token counts as missing after the last response that lacked it, in ms. */
const NOTED_FOR = HOUR;

/** Instants are monotonic. */
type Missing = { requests: number; dueAt: number; missedAt: number };

/** The tokens that responses lacked. They are requested again without the other tokens, with growing pauses. */
function createMissingTokens(clock: Clock) {
  const byToken = new Map<TokenName, Missing>();
  let underWay: ReadonlySet<TokenName> = new Set();

  const current = () => [...byToken].filter(([, { missedAt }]) => clock.elapsed() - missedAt < NOTED_FOR);

  /** All missing tokens, if the next request for one of them is due. */
  function due() {
    const missing = current();
    return missing.some(([, { dueAt }]) => dueAt <= clock.elapsed()) ? missing : [];
  }

  return {
    /** Records which of the requested tokens a response lacked. */
    note(requested: readonly TokenName[], missing: readonly TokenName[]): void {
      const now = clock.elapsed();
      for (const token of new Set(requested).difference(new Set(missing))) byToken.delete(token);
      for (const token of missing) {
        const { requests = 0, dueAt = now } = byToken.get(token) ?? {};
        byToken.set(token, { requests, dueAt, missedAt: now });
      }
    },

    isDue: (): boolean => due().length > 0,

    /** Whether the first separate request for a token is due or under way. */
    isAwaited: (token: TokenName): boolean => byToken.get(token)?.requests === 0 || underWay.has(token),

    /** Requests the due tokens. All due tokens share one request, so their pauses stay synchronized. */
    async request(fetch: (tokens: readonly TokenName[]) => Promise<void>): Promise<void> {
      const missing = due();
      for (const [, entry] of missing) {
        entry.dueAt = clock.elapsed() + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** entry.requests);
        entry.requests += 1;
      }
      const tokens = missing.map(([token]) => token);
      underWay = new Set(tokens);
      try {
        await fetch(tokens);
      } finally {
        underWay = new Set();
      }
    },

    warnings(): Warning[] {
      const tokens = current().map(([token]) => token);
      return tokens.length > 0 ? [{ about: 'missing prices', source: 'coingecko', tokens }] : [];
    },
  };
}

/** How often an exchange's latest prices are fetched, in ms. */
const EXCHANGE_INTERVAL = MINUTE;

export type LatestSource = {
  name: MarketSourceName;
  resource: Fetch;
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
  batch: number;
  fetch(tokens: readonly TokenName[]): Promise<void>;
  /** Requests a token that the last response lacked, if that may help. */
  retryMissing?(token: TokenName, runner: FetchRunner<Fetch>): Promise<void>;
  afterResponse?(): void;
  warnings?(): Warning[];
};

/** The age of a price, or of the last request for it if that is more recent. Times are in Unix ms. */
const youngest = (now: number, ...times: (number | undefined)[]): number =>
  Math.min(...times.map((at) => ageAt(at, now)));

export function createExchangeLatest(
  { archive, clock }: RefreshDeps,
  { recorder, ...exchange }: OpenedExchange & { recorder: Recorder },
): LatestSource {
  const { name, batch, lists } = exchange;
  const resource = latestFetchOf(name);
  const responses = new Map<TokenName, number>();
  const isOneFetch = batch === Number.POSITIVE_INFINITY;

  return {
    name,
    resource,
    batch,
    lists,
    dueAfter: () => EXCHANGE_INTERVAL,
    interval: () => EXCHANGE_INTERVAL,
    hasBudget: () => true,
    respondedAt: (token) => responses.get(token),

    /** The last fetch may have contained only the tokens that were in demand. */
    age(token) {
      const ofAll = isOneFetch && archive.latest(token) ? archive.fetchedAt(resource) : undefined;
      return youngest(clock.now(), ofAll, archive.latestOf(token, name)?.fetchedAt, responses.get(token));
    },

    async fetch(tokens) {
      const quotes = await exchange.quotes(tokens);
      for (const token of tokens) responses.set(token, clock.now());
      await recorder.quotes(resource, quotes, clock.now());
    },
  };
}

/** CoinGecko's latest prices. Tokens that a response lacks are requested again without the other tokens. */
export function createPrimaryLatest(deps: RefreshDeps, fetches: Fetches, schedule: Schedule): LatestSource {
  const { archive, demand, singleFlight, clock } = deps;
  const responses = new Map<TokenName, number>();
  const missing = createMissingTokens(clock);

  async function fetch(tokens: readonly TokenName[], resource: 'latest' | 'latest-missing'): Promise<void> {
    const result = await fetches.latest(tokens, resource);
    missing.note(tokens, result.missing);
    for (const token of tokens) responses.set(token, clock.now());
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
    respondedAt: (token) => responses.get(token),
    warnings: missing.warnings,

    /** A newly requested token is due immediately. Other tokens are early only if the budget has spare calls. */
    age(token) {
      const now = clock.now();
      const ofAll = ageAt(archive.fetchedAt('latest'), now);
      const own = youngest(now, archive.latestOf(token, PRIMARY_SOURCE)?.fetchedAt, responses.get(token));
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
