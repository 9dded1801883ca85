import { SECOND } from '#domain/clock';
import {
  FIRST_SOURCE,
  MARKET_SOURCES,
  type MarketSourceName,
  sourcesBefore,
} from '#domain/market/sources/provenance';
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
  if (oldest.size === 1 && oldest.has(FIRST_SOURCE)) return FIRST_SOURCE;
  return MARKET_SOURCES.filter((source) => oldest.has(source))
    .sort((a, b) => (told.get(b) ?? 0) - (told.get(a) ?? 0))
    .map((source) => {
      const age = Math.max(0, Math.floor((now - (oldest.get(source) as number)) / SECOND));
      return `${source};age=${age}`;
    })
    .join(', ');
}

/**
 * What is told of the latest prices of one token, one of each source that told any: that of the source that is told,
 * where it has told one since it took over; else that of the first in the line. What a venue cannot tell beside the price
 * stays as the first source told it last.
 *
 * @param rows in the order of the line
 */
function compose(rows: readonly LatestRow[], { told, since }: FailoverState): ToldLatest | undefined {
  const [main] = rows;
  if (!main) return undefined;
  const mine = rows.find(({ source }) => source === told);
  const isSince = mine && mine !== main && mine.fetchedAt >= (since ?? 0);
  if (!isSince) return { ...main, sources: toldBy(main) };
  const record = { ...main.record, current_price: mine.record.current_price };
  return { ...mine, record, sources: toldBy(mine, main) };
}

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
        const composed = compose(mine, state);
        forget(token);
        if (!composed) continue;
        stored.set(token, mine);
        told.set(token, composed);
      }
    },
  };
}
