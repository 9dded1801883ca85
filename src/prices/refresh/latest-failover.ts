import type { TokenName } from '#catalogue/token';
import type { FailoverStore } from '#prices/latest/latest-store';
import type { MarketSourceName } from '#prices/model/market-sources';
import { createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH } from '#upstream/fetch-runner';
import { ageAt, type Warning, waitOnRefresh } from '#upstream/freshness';
import type { LatestSource } from './latest-sources.ts';
import type { RefreshDeps } from './refresh-deps.ts';
import { createServedSource, type RankedSources } from './served-source.ts';

type Options = { sources: RankedSources; store: FailoverStore; differed: (token: TokenName) => void };

const isDue = (source: LatestSource, token: TokenName): boolean => source.age(token) >= source.dueAfter();

/** Fetches the latest prices from the first source that is sound. */
export function createLatestFailover(deps: RefreshDeps, { sources, store, differed }: Options) {
  const { archive, demand, singleFlight, clock } = deps;
  const [first] = sources;
  const { rankOf, servedRank, isSoundFor, ...served } = createServedSource(deps, { sources, store, differed });
  const failedAt = new Map<MarketSourceName, number>();

  /** The tokens in demand that no higher source, starting with the served one, provides; the oldest prices first. */
  async function tokensFor(source: LatestSource): Promise<TokenName[]> {
    const higher = sources.slice(servedRank(), rankOf(source.name));
    const isNeeded = (token: TokenName) => source.lists(token) && !higher.some((other) => isSoundFor(other, token));
    const tokens = (await demand.tokens()).filter(isNeeded);
    if (tokens.length <= source.batch) return tokens;
    return tokens.sort((a, b) => source.age(b) - source.age(a)).slice(0, source.batch);
  }

  async function fetchFrom(source: LatestSource): Promise<void> {
    const previousAt = archive.fetchedAt(source.resource);
    const tokens = await tokensFor(source);
    if (tokens.length === 0) return;
    try {
      await source.fetch(tokens);
    } catch (error) {
      failedAt.set(source.name, clock.now());
      throw error;
    }
    const isRecovered = (since: number) =>
      previousAt !== undefined && previousAt > Math.max(since, failedAt.get(source.name) ?? 0);
    await served.noteResponse(source, isRecovered);
    source.afterResponse?.();
  }

  async function request(source: LatestSource, token: TokenName): Promise<FetchOutcome> {
    const runner = createFetchRunner({ singleFlight, clock });
    const latest = archive.latest(token);
    const age = source === first ? source.age(token) : ageAt(latest?.fetchedAt, clock.now());
    const until = latest ? waitOnRefresh(age, source.dueAfter()) : 'end';
    const fetch = () => fetchFrom(source);
    const isMade = await runner.run(source.resource, until, fetch);
    // The fetch in flight may have started before this token was requested.
    if (!isMade && isDue(source, token)) await runner.run(source.resource, until, fetch);
    await source.retryMissing?.(token, runner);
    return runner.outcome;
  }

  /** The sources that can provide a token's price, starting with the served source. */
  const candidates = (token: TokenName): LatestSource[] =>
    sources.slice(servedRank()).filter((source) => source.lists(token));

  async function requestFrom(token: TokenName): Promise<FetchOutcome> {
    let outcome: FetchOutcome | undefined;
    for (const source of candidates(token)) {
      const result = isDue(source, token) ? await request(source, token) : NOTHING_TO_FETCH;
      if (isSoundFor(source, token)) return result;
      outcome ??= result;
    }
    return outcome ?? NOTHING_TO_FETCH;
  }

  return {
    isFirstSound: (): boolean => served.isSound(first),
    /** The age from which the served source's prices are due, in ms. */
    dueAfter: (): number => (sources[servedRank()] ?? first).dueAfter(),
    fetchFirst: (): Promise<void> => fetchFrom(first),
    respondedAt: first.respondedAt,
    age: first.age,
    warnings: (): Warning[] => [...sources.flatMap((source) => source.warnings?.() ?? []), ...served.warnings()],

    /** Returns synchronously if the price is not due. Higher sources keep their schedule, but no response waits for them. */
    latest(token: TokenName): FetchOutcome | Promise<FetchOutcome> {
      for (const source of sources.slice(0, servedRank())) {
        if (source.lists(token) && isDue(source, token)) singleFlight.start(source.resource, () => fetchFrom(source));
      }
      for (const source of candidates(token)) {
        if (isDue(source, token)) return requestFrom(token);
        if (isSoundFor(source, token)) break;
      }
      return NOTHING_TO_FETCH;
    },
  };
}

export type LatestFailover = ReturnType<typeof createLatestFailover>;
