import { DAY, MINUTE } from '#core/clock';
import type { MarketSourceName, SourceOrder } from '#prices/model/market-sources';
import { isContradicted } from '#prices/model/price-check';
import { besidesOtherPrice, type LatestPrice, type MarketFigures } from '#prices/model/prices-records';
import { type FailoverState, type LatestRow, pricesOf } from './latest-store.ts';

export type SourcedLatest = {
  record: LatestPrice;
  /** Further figures from CoinGecko, except the figures that another source's price would contradict. */
  market?: MarketFigures | null;
  at: number;
  fetchedAt: number;
  /** The sources of the figures. The source of the price comes first. */
  sources: readonly { source: MarketSourceName; fetchedAt: number }[];
};

const sourcesOf = (...rows: readonly [LatestRow, ...LatestRow[]]): SourcedLatest['sources'] =>
  rows.map(({ source, fetchedAt }) => ({ source, fetchedAt }));

/** A price is sound while it is at most this much older than the newest price of the token, in ms. */
const SOUND_FOR = 2 * MINUTE;

/** Whether the source still updates the price. */
export const isUpdated = ({ at, fetchedAt }: Pick<LatestRow, 'at' | 'fetchedAt'>): boolean => fetchedAt - at <= DAY;

/**
 * The price is from the first sound source, starting with the served source, and the other figures are from the first
 * source. A price that contradicts a higher source's last price is not served. `rows` must be in source order.
 */
export function composeLatest(
  rows: readonly LatestRow[],
  order: SourceOrder,
  { served, since = Number.NEGATIVE_INFINITY }: FailoverState,
  now: number,
): SourcedLatest | undefined {
  const [main] = rows;
  if (!main) return undefined;
  const place = order.indexOf(served);
  const current = rows.filter(
    ({ source, fetchedAt }) => order.indexOf(source) >= place && (source === order[0] || fetchedAt >= since),
  );
  const newest = Math.max(...current.map(({ fetchedAt }) => fetchedAt));
  const prices = pricesOf(rows);
  const isContradictory = (row: LatestRow) =>
    isContradicted({ source: row.source, price: row.record.current_price }, prices, order, now);
  const sound = current.find((row) => isUpdated(row) && newest - row.fetchedAt <= SOUND_FOR && !isContradictory(row));
  if (!sound || sound === main) return { ...main, sources: sourcesOf(main) };
  const record = { ...main.record, current_price: sound.record.current_price };
  const market = main.market ? besidesOtherPrice(main.market) : null;
  return { ...sound, record, market, sources: sourcesOf(sound, main) };
}
