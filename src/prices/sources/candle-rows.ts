import { SECOND, type Span } from '#core/clock';
import type { Candle } from '#prices/model/candle';
import { isOutlier, misplacedRows } from '#upstream/items/item-order';
import { countRejections, type Items } from '#upstream/items/items';
import { plausibleTimes } from '#upstream/items/plausible';
import { NUMERIC } from '#upstream/transport/json-response';

export type CandleItems = { path: string; items: Items<Candle>; covers: Span | undefined };

/** The largest Unix second that a `Date` can represent. */
export const LAST_SECOND = 8.64e12;

/** Returns NaN for a malformed figure. A number that is too large for a double becomes infinite. */
function figureOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMERIC.test(value) ? Number(value) : Number.NaN;
}

/** `time` is in Unix seconds. Returns undefined if a value is malformed. */
export function candleOf(time: unknown, ...values: readonly unknown[]): Candle | undefined {
  const [second = Number.NaN, ...figures] = [time, ...values].map(figureOf);
  const [open = 0, high = 0, low = 0, close = 0, volume = 0] = figures;
  if (!Number.isInteger(second) || second < 0 || second > LAST_SECOND || figures.some(Number.isNaN)) return undefined;
  return { at: second * SECOND, open, high, low, close, volume };
}

/** The start of the newest candle that may be finished according to this process's clock. `length` is in ms. */
export const newestFinished = (now: number, length: number): number =>
  Math.floor(plausibleTimes(now).thru / length - 1) * length;

/**
 * Returns ascending rows, except rows that are out of order or far from the rows around them. The later of two rows
 * with one time counts: Kraken has sent days that appear three times.
 */
export function orderedRows({ accepted, ...items }: Items<Candle>): Items<Candle> {
  const { rejected, reject } = countRejections(items.rejected);
  const misplaced = misplacedRows(accepted.map(({ at }) => at));
  if (misplaced.size > 0) reject('out_of_order', misplaced.size);
  const distinct = new Map(accepted.filter((_row, place) => !misplaced.has(place)).map((row) => [row.at, row]));
  const rows = [...distinct.values()].sort((a, b) => a.at - b.at);
  const closes = rows.map(({ close }) => close);
  const kept = rows.filter(({ high, low }, place) => {
    const isFar = [high, low].some((price) => isOutlier(price, closes, place));
    if (isFar) reject('price');
    return !isFar;
  });
  return { ...items, accepted: kept, rejected };
}
