import type { LatestPrice } from '#prices/records';
import type { MarketSourceName } from '#prices/sources/provenance';
import type { FailoverState } from './source-failover.ts';

/** What one source told last of the latest price of a token; instants in Unix ms. */
type FromSource = { source: MarketSourceName; record: LatestPrice; at: number; fetchedAt: number };

/** The latest price of a token as it is told; instants in Unix ms. */
export type ToldLatest = {
  record: LatestPrice;
  /** Of the price. */
  at: number;
  fetchedAt: number;
  /** Who told it, the price first, and when. */
  sources: readonly { source: MarketSourceName; fetchedAt: number }[];
};

const toldBy = (...rows: readonly [FromSource, ...FromSource[]]): ToldLatest['sources'] =>
  rows.map(({ source, fetchedAt }) => ({ source, fetchedAt }));

/**
 * What is told of the latest prices of one token, one of each source that told any: that of the source that is told,
 * where it has told one since it took over; else that of the first in the line. What a venue cannot tell beside the price
 * stays as the first source told it last.
 *
 * @param rows in the order of the line
 */
export function composeLatest(
  rows: readonly FromSource[],
  { told, since }: FailoverState,
): ToldLatest | undefined {
  const [main] = rows;
  if (!main) return undefined;
  const mine = rows.find(({ source }) => source === told);
  const isSince = mine && mine !== main && mine.fetchedAt >= (since ?? 0);
  if (!isSince) return { ...main, sources: toldBy(main) };
  const record = { ...main.record, current_price: mine.record.current_price };
  return { ...mine, record, sources: toldBy(mine, main) };
}
