import type { TokenName } from '#catalogue/token';
import type { LatestRow } from '#prices/archive/archive-store';
import type { FailoverState } from '#prices/archive/latest-store';
import { MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';
import type { LatestPrice } from '#prices/model/records';

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

    /** Sets the stored rows of some tokens; a token without a row is removed. */
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

/** The last price of a token from one source; instants in Unix ms. */
type FromSource = { source: MarketSourceName; record: LatestPrice; at: number; fetchedAt: number };

/** The latest price of a token as served; instants in Unix ms. */
export type ToldLatest = {
  record: LatestPrice;
  /** The time of the price. */
  at: number;
  fetchedAt: number;
  /** The sources, that of the price first. */
  sources: readonly { source: MarketSourceName; fetchedAt: number }[];
};

const toldBy = (...rows: readonly [FromSource, ...FromSource[]]): ToldLatest['sources'] =>
  rows.map(({ source, fetchedAt }) => ({ source, fetchedAt }));

/** Kraken reports the price only: the other figures stay the primary source's last ones. `rows` in source order. */
function composeLatest(rows: readonly FromSource[], { told, since }: FailoverState): ToldLatest | undefined {
  const [main] = rows;
  if (!main) return undefined;
  const mine = rows.find(({ source }) => source === told);
  const isSince = mine && mine !== main && mine.fetchedAt >= (since ?? 0);
  if (!isSince) return { ...main, sources: toldBy(main) };
  const record = { ...main.record, current_price: mine.record.current_price };
  return { ...mine, record, sources: toldBy(mine, main) };
}
