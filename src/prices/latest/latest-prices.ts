import type { TokenName } from '#catalogue/token';
import type { LatestRow } from '#prices/archive/archive-store';
import { type MarketSourceName, sourcesBefore } from '#prices/sources/provenance';
import { composeLatest, type ToldLatest } from './failover-price.ts';
import type { FailoverState } from './source-failover.ts';

/** The latest prices of tokens, of every source, and what is told of them. */
export function createLatestPrices(line: readonly MarketSourceName[]) {
  const stored = new Map<TokenName, readonly LatestRow[]>();
  const told = new Map<TokenName, ToldLatest>();
  const place = ({ source }: LatestRow) => sourcesBefore(source, line).length;

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
        const mine = (rowsOf.get(token) ?? []).sort((a, b) => place(a) - place(b));
        const composed = composeLatest(mine, state);
        forget(token);
        if (!composed) continue;
        stored.set(token, mine);
        told.set(token, composed);
      }
    },
  };
}
