import { type MarketSourceName, sourcesBefore } from '#domain/market/sources/provenance';
import type { FailoverState } from '#domain/market/sources/source-failover';
import type { TokenName } from '#domain/market/token';
import type { LatestPrice } from '#domain/records';
import type { LatestRow } from '#stores/market/archive';

/** The latest price of a token as it is told; instants in Unix ms. */
export type ToldLatest = {
  record: LatestPrice;
  /** Of the price. */
  at: number;
  fetchedAt: number;
  /** Who told it, the price first, and when. */
  sources: readonly { source: MarketSourceName; fetchedAt: number }[];
};

const toldBy = (...rows: readonly [LatestRow, ...LatestRow[]]): ToldLatest['sources'] =>
  rows.map(({ source, fetchedAt }) => ({ source, fetchedAt }));

/** The latest prices of every token and source, and what is told of them. */
export function createLatestPrices(line: readonly MarketSourceName[]) {
  let stored: readonly LatestRow[] = [];
  let told = new Map<TokenName, ToldLatest>();

  const of = (token: TokenName, source: MarketSourceName): LatestRow | undefined =>
    stored.find((row) => row.token === token && row.source === source);

  /**
   * The row of the source that is told, where it has told one since it took over; else that of the first in the line.
   * What a venue cannot tell beside the price stays as the first source told it last.
   */
  function compose(token: TokenName, state: FailoverState): ToldLatest | undefined {
    const main = stored.find((row) => row.token === token);
    if (!main) return undefined;
    const mine = of(token, state.told);
    const isSince = mine && mine !== main && mine.fetchedAt >= (state.since ?? 0);
    if (!isSince) return { ...main, sources: toldBy(main) };
    const record = { ...main.record, current_price: mine.record.current_price };
    return { ...mine, record, sources: toldBy(mine, main) };
  }

  return {
    of,
    told: (token: TokenName): ToldLatest | undefined => told.get(token),

    set(rows: readonly LatestRow[], state: FailoverState): void {
      const place = ({ source }: LatestRow) => sourcesBefore(source, line).length;
      stored = [...rows].sort((a, b) => place(a) - place(b));
      const tokens = [...new Set(stored.map(({ token }) => token))];
      told = new Map(tokens.map((token) => [token, compose(token, state) as ToldLatest]));
    },
  };
}
