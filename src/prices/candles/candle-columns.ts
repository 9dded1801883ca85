import type { Candle } from '#prices/model/candle';

/** A candle as it is stored; a settled one never changes. */
export type StoredCandle = Candle & { settled: boolean };

/** Candles as columns, ascending in `at`; they are never changed, but others take their place. */
export type CandleColumns = {
  readonly at: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
  /** 1 for a candle that will never change. */
  readonly settled: Uint8Array;
};

const FIGURES = ['at', 'open', 'high', 'low', 'close', 'volume'] as const;

/** What candles take of memory. */
export const bytesOf = ({ at, settled }: CandleColumns): number =>
  FIGURES.length * at.byteLength + settled.byteLength;

/** The place of the first candle at or after an instant. */
export function placeOf({ at }: CandleColumns, instant: number): number {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((at[middle] as number) < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The candles from one instant through another, both included, without a copy. */
export function candlesBetween(columns: CandleColumns, from: number, thru: number): CandleColumns {
  const start = placeOf(columns, from);
  const end = Math.max(start, placeOf(columns, thru + 1));
  const of = (name: (typeof FIGURES)[number]) => columns[name].subarray(start, end);
  return {
    at: of('at'),
    open: of('open'),
    high: of('high'),
    low: of('low'),
    close: of('close'),
    volume: of('volume'),
    settled: columns.settled.subarray(start, end),
  };
}

/**
 * Candles as columns, after those that come before them.
 *
 * @param candles ascending, none earlier than the last of `before`
 */
export function candleColumns(candles: readonly StoredCandle[], before?: CandleColumns): CandleColumns {
  const first = before?.at.length ?? 0;
  const length = first + candles.length;
  const column = (name: (typeof FIGURES)[number]) => {
    const figures = new Float64Array(length);
    if (before) figures.set(before[name]);
    candles.forEach((candle, i) => {
      figures[first + i] = candle[name];
    });
    return figures;
  };
  const settled = new Uint8Array(length);
  if (before) settled.set(before.settled);
  candles.forEach((candle, i) => {
    settled[first + i] = candle.settled ? 1 : 0;
  });
  return {
    at: column('at'),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
    settled,
  };
}

/** The beginning of the first candle that may still change; undefined when all are settled. */
export function firstUnsettled({ at, settled }: CandleColumns): number | undefined {
  const place = settled.indexOf(0);
  return place < 0 ? undefined : at[place];
}
