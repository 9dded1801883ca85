import type { TokenName } from '#catalogue/token';
import type { FailoverState, LatestRow } from '#prices/archive/latest-store';
import { MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';
import type { LatestPrice } from '#prices/model/records';

export function createLatestPrices() {
  const stored = new Map<TokenName, readonly LatestRow[]>();
  const served = new Map<TokenName, SourcedLatest>();

  function forget(token: TokenName): void {
    stored.delete(token);
    served.delete(token);
  }

  return {
    of: (token: TokenName, source: MarketSourceName): LatestRow | undefined =>
      stored.get(token)?.find((row) => row.source === source),

    served: (token: TokenName): SourcedLatest | undefined => served.get(token),
    forget,

    /** Sets the stored rows of some tokens. Removes a token without a row. */
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
        served.set(token, composed);
      }
    },
  };
}

/** The last price of a token from one source. Instants in Unix ms. */
type FromSource = { source: MarketSourceName; record: LatestPrice; at: number; fetchedAt: number };

export type SourcedLatest = {
  record: LatestPrice;
  at: number;
  fetchedAt: number;
  /** The sources of the figures. The source of the price comes first. */
  sources: readonly { source: MarketSourceName; fetchedAt: number }[];
};

const sourcesOf = (...rows: readonly [FromSource, ...FromSource[]]): SourcedLatest['sources'] =>
  rows.map(({ source, fetchedAt }) => ({ source, fetchedAt }));

/** Kraken provides only the price. Other figures are from the primary source. `rows` must be in source order. */
function composeLatest(rows: readonly FromSource[], { served, since }: FailoverState): SourcedLatest | undefined {
  const [main] = rows;
  if (!main) return undefined;
  const mine = rows.find(({ source }) => source === served);
  const isSince = mine && mine !== main && mine.fetchedAt >= (since ?? 0);
  if (!isSince) return { ...main, sources: sourcesOf(main) };
  const record = { ...main.record, current_price: mine.record.current_price };
  return { ...mine, record, sources: sourcesOf(mine, main) };
}
