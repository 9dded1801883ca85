import type { TokenName } from '#catalogue/token';
import { type Clock, SECOND } from '#core/clock';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { frozenAfter } from '#prices/model/price-check';
import type { DataResponse } from '#server/responses/response-body';
import type { FetchOutcome } from '#upstream/fetch-runner';
import type { SourcedLatest } from './latest-composition.ts';

export const versionOf = ({ sources }: SourcedLatest): string => sources.flatMap(Object.values).join();

/**
 * The value of `Quotient-Source`: the sources by number of prices, each with the age of its oldest price in seconds. No
 * age is stated if all prices are from the primary source.
 */
export function sourcesOf(prices: readonly SourcedLatest[], now: number): string {
  const oldest = new Map<MarketSourceName, number>();
  const latest = new Map<MarketSourceName, number>();
  for (const { sources } of prices) {
    for (const [place, { source, fetchedAt }] of sources.entries()) {
      oldest.set(source, Math.min(fetchedAt, oldest.get(source) ?? fetchedAt));
      if (place === 0) latest.set(source, (latest.get(source) ?? 0) + 1);
    }
  }
  if (oldest.size === 1 && oldest.has(PRIMARY_SOURCE)) return PRIMARY_SOURCE;
  return MARKET_SOURCES.filter((source) => oldest.has(source))
    .sort((a, b) => (latest.get(b) ?? 0) - (latest.get(a) ?? 0))
    .map((source) => {
      const age = Math.max(0, Math.floor((now - (oldest.get(source) as number)) / SECOND));
      return `${source};age=${age}`;
    })
    .join(', ');
}

export type LatestFetches = {
  latest(token: TokenName): FetchOutcome | Promise<FetchOutcome>;
  /** The interval of the latest prices, in ms. */
  latestEvery(): number;
  dueAt(fetchedAt: number): number;
};

/** Creates the function that builds a response with some prices, except the body. */
export const createLatestFacts =
  ({ backfill, clock }: { backfill: Omit<LatestFetches, 'latest'>; clock: Clock }) =>
  (latest: readonly SourcedLatest[], outcome: FetchOutcome): Omit<DataResponse, 'body'> => {
    const now = clock.now();
    // When the oldest price was fetched. If a source no longer updates a price, the time of the price itself counts.
    const limit = frozenAfter(backfill.latestEvery());
    const times = latest.map(({ at, fetchedAt }) => (fetchedAt - at > limit ? at : fetchedAt));
    const oldest = times.length > 0 ? Math.min(...times) : now;
    return {
      source: latest.length > 0 ? sourcesOf(latest, now) : PRIMARY_SOURCE,
      modifiedAt: latest.length > 0 ? Math.max(...latest.map(({ at }) => at)) : now,
      fetchedAt: oldest,
      dueAt: backfill.dueAt(oldest),
      isImmutable: false,
      gaps: [],
      outcome,
    };
  };
