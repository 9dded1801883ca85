import { SECOND } from '#core/clock';
import type { ToldLatest } from '#prices/archive/latest-prices';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';

/** Names the figures of a latest price. */
export const versionOf = ({ sources }: ToldLatest): string => sources.flatMap(Object.values).join();

/**
 * Who told some latest prices, as `Quotient-Source` names them, whoever told most of them first. The first source alone
 * is named as it is; of others the greatest age of what each told is named too, in seconds.
 */
export function sourcesOf(prices: readonly ToldLatest[], now: number): string {
  const oldest = new Map<MarketSourceName, number>();
  const told = new Map<MarketSourceName, number>();
  for (const { sources } of prices) {
    for (const [place, { source, fetchedAt }] of sources.entries()) {
      oldest.set(source, Math.min(fetchedAt, oldest.get(source) ?? fetchedAt));
      if (place === 0) told.set(source, (told.get(source) ?? 0) + 1);
    }
  }
  if (oldest.size === 1 && oldest.has(PRIMARY_SOURCE)) return PRIMARY_SOURCE;
  return MARKET_SOURCES.filter((source) => oldest.has(source))
    .sort((a, b) => (told.get(b) ?? 0) - (told.get(a) ?? 0))
    .map((source) => {
      const age = Math.max(0, Math.floor((now - (oldest.get(source) as number)) / SECOND));
      return `${source};age=${age}`;
    })
    .join(', ');
}
