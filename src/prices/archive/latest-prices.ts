import type { TokenName } from '#catalogue/token';
import type { LatestRow } from '#prices/archive/archive-store';
import type { FailoverState } from '#prices/archive/latest-store';
import { MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';
import type { LatestPrice } from '#prices/model/records';

/** The latest prices of tokens, of every source, and what is told of them. */
export function createLatestPrices() {
  const stored = new Map<TokenName, readonly LatestRow[]>();
  const told = new Map<TokenName, ToldLatest>();

  function forget(token: TokenName): void {
    stored.delete(token);
    told.delete(token);
  }

  return {
    of: (token: TokenName, source: MarketSourceName): LatestRow | undefined =>
      stored.get(token)?.find((row) => row.source === source),

    told: (token: TokenName): ToldLatest | undefined => told.get(token),

    forget,

    /** Sets what is stored of some tokens: of one without a row, nothing. */
    set(tokens: Iterable<TokenName>, rows: readonly LatestRow[], state: FailoverState): void {
      const rowsOf = Map.groupBy(rows, ({ token }) => token);
      for (const token of tokens) {
        const mine = (rowsOf.get(token) ?? []).sort(
          (a, b) => MARKET_SOURCES.indexOf(a.source) - MARKET_SOURCES.indexOf(b.source),
        );
        const composed = composeLatest(mine, state);
        forget(token);
        if (!composed) continue;
        stored.set(token, mine);
        told.set(token, composed);
      }
    },
  };
}

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
 * where it has told one since it took over; else that of the primary one. What a venue cannot tell beside the price
 * stays as the first source told it last.
 *
 * @param rows in the order of `MARKET_SOURCES`
 */
function composeLatest(rows: readonly FromSource[], { told, since }: FailoverState): ToldLatest | undefined {
  const [main] = rows;
  if (!main) return undefined;
  const mine = rows.find(({ source }) => source === told);
  const isSince = mine && mine !== main && mine.fetchedAt >= (since ?? 0);
  if (!isSince) return { ...main, sources: toldBy(main) };
  const record = { ...main.record, current_price: mine.record.current_price };
  return { ...mine, record, sources: toldBy(mine, main) };
}
