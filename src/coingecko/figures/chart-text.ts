import { DAY } from '#core/clock';
import { inJson } from '#prices/history/series-text';
import { CANDLE_INTERVALS, type CandleColumns, type CandleInterval } from '#prices/model/candle';
import type { PointColumns } from '#prices/model/series';
import type { Round } from './coin-figures.ts';

const COLUMNS = [
  ['prices', 'price'],
  ['market_caps', 'marketCap'],
  ['total_volumes', 'volume'],
] as const;

/**
 * Writes three arrays of `[time, value]` with equal times. A sample without a price is in none of them, and other
 * unknown figures are null. `perUnit` converts to the parts of a currency.
 */
export function* chartText(columns: PointColumns, perUnit: number, round: Round): Generator<string> {
  const { at, price } = columns;
  let before = '{';
  for (const [name, column] of COLUMNS) {
    const figures = columns[column];
    const valueAt = (i: number): number | null => {
      const value = (figures[i] as number) * perUnit;
      if (Number.isNaN(value)) return null;
      return column === 'price' ? round(value) : value;
    };
    yield `${before}"${name}":`;
    yield* inJson(at.length, (i) => (Number.isNaN(price[i]) ? undefined : [at[i], valueAt(i)]));
    before = ',';
  }
  yield '}';
}

export const EMPTY_CHART = JSON.stringify({ prices: [], market_caps: [], total_volumes: [] });

/** The candles that are read, and the length in ms of those that are returned. */
type CandlePlan = { interval: CandleInterval; length: number };

/** The candles that CoinGecko returns for some days, or that `interval` chooses. */
export function planCandles(days: number, interval: 'auto' | 'daily' | 'hourly'): CandlePlan {
  if (interval === 'auto' && days > 30) return { interval: 'daily', length: 4 * DAY };
  const read = interval !== 'auto' ? interval : days <= 2 ? '30m' : '4h';
  return { interval: read, length: CANDLE_INTERVALS[read].length };
}

type Row = [time: number, open: number, high: number, low: number, close: number];

/** Joins candles, at multiples of the length, if all parts are present. The time of a candle is its end. */
function joined({ at, open, high, low, close }: CandleColumns, { interval, length }: CandlePlan): Row[] {
  const rows: Row[] = [];
  const part = CANDLE_INTERVALS[interval].length;
  const parts = length / part;
  for (const [i, start] of at.entries()) {
    const last = i + parts - 1;
    if (start % length !== 0 || at[last] !== start + length - part) continue;
    const highest = Math.max(...high.subarray(i, last + 1));
    const lowest = Math.min(...low.subarray(i, last + 1));
    rows.push([start + length, open[i] as number, highest, lowest, close[last] as number]);
  }
  return rows;
}

/** Writes the candles of the last `days` days before the end of the newest one. */
export function* candleText(
  columns: CandleColumns,
  plan: CandlePlan,
  days: number,
  perUnit: number,
  round: Round,
): Generator<string> {
  const rows = joined(columns, plan);
  const end = rows.at(-1)?.[0] ?? 0;
  const mine = rows.filter(([time]) => time > end - days * DAY);
  yield* inJson(mine.length, (i) => {
    const [time, ...prices] = mine[i] as Row;
    return [time, ...prices.map((price) => round(price * perUnit))];
  });
}
