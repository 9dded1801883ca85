import type { TokenName } from '#catalogue/token';
import { isUpdated } from '#prices/latest/latest-composition';
import { pricesOf } from '#prices/latest/latest-store';
import type { MarketSourceName } from '#prices/model/market-sources';
import { isContradicted } from '#prices/model/price-check';
import { ageAt } from '#upstream/freshness';
import type { LatestSource } from './latest-sources.ts';
import type { RefreshDeps } from './refresh-deps.ts';

/** The sources by rank. */
export type RankedSources = readonly [LatestSource, ...LatestSource[]];

/** Determines whether the sources of latest prices work, both in general and for one token. */
export function createSourceHealth({ archive, singleFlight, clock }: RefreshDeps, sources: RankedSources) {
  function isSound(source: LatestSource): boolean {
    const canBeRequested = singleFlight.failure(source.resource) === undefined && source.hasBudget();
    const respondedAt = archive.fetchedAt(source.resource);
    return isSourceSound({ respondedAt, interval: source.interval(), canBeRequested }, clock.now());
  }

  /** Whether a source's price is not served, because it contradicts a higher source's last price. */
  function isWithheld(token: TokenName, source: MarketSourceName): boolean {
    const rows = sources.flatMap(({ name }) => archive.latestOf(token, name) ?? []);
    const price = archive.latestOf(token, source)?.record.current_price;
    return price !== undefined && isContradicted({ source, price }, pricesOf(rows), archive.sources, clock.now());
  }

  /** Whether a source works, and its responses contain a credible and current price of a token. */
  function isSoundFor(source: LatestSource, token: TokenName): boolean {
    const row = archive.latestOf(token, source.name);
    if (!row || !isUpdated(row) || !isSound(source)) return false;
    const isLacking = (source.respondedAt(token) ?? 0) - row.fetchedAt > 2 * source.interval();
    return !isLacking && !isWithheld(token, source.name);
  }

  return { isSound, isWithheld, isSoundFor };
}

export type SourceHealth = ReturnType<typeof createSourceHealth>;

type Requested = { respondedAt: number | undefined; interval: number; canBeRequested: boolean };

/** A source is sound if it can be requested, or if its last good response (Unix ms) is at most two intervals old. */
export const isSourceSound = ({ respondedAt, interval, canBeRequested }: Requested, now: number): boolean =>
  canBeRequested || ageAt(respondedAt, now) <= 2 * interval;
