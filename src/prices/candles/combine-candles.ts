import type { Span } from '#core/clock';
import { CANDLES, type CandleColumns } from '#prices/model/candle';
import { columnsOf } from '#prices/model/series';

/** `gaps` are the spans that are not covered completely. */
type Combined = { columns: CandleColumns; gaps: Span[] };

/**
 * Combines stored candles into longer candles. A longer candle exists only if all stored candles of its span exist.
 * Otherwise, its prices and its volume would be wrong.
 * @param spans the spans of the longer candles, in ascending order
 * @param length the length of a stored candle, in ms
 */
export function combineCandles(stored: CandleColumns, spans: Iterable<Span>, length: number): Combined {
  const { at, open, high, low, close, volume, final } = stored;
  const rows = [];
  const gaps: Span[] = [];
  let start = 0;
  for (const span of spans) {
    while (start < at.length && (at[start] as number) < span.from) start += 1;
    const count = (span.thru + 1 - span.from) / length;
    const end = start + count;
    if (end > at.length || at[start] !== span.from || at[end - 1] !== span.thru + 1 - length) {
      gaps.push(span);
      continue;
    }
    let highest = Number.NEGATIVE_INFINITY;
    let lowest = Number.POSITIVE_INFINITY;
    let sum = 0;
    let isFinal = true;
    for (let i = start; i < end; i++) {
      highest = Math.max(highest, high[i] as number);
      lowest = Math.min(lowest, low[i] as number);
      sum += volume[i] as number;
      isFinal &&= final[i] === 1;
    }
    rows.push({
      at: span.from,
      ...{ open: open[start] as number, high: highest, low: lowest, close: close[end - 1] as number, volume: sum },
      final: isFinal,
    });
    start = end;
  }
  return { columns: columnsOf(CANDLES, rows), gaps };
}
