import { inJson } from '#prices/history/series-text';
import type { PointColumns } from '#prices/model/series';
import type { Round } from './coin-figures.ts';

const COLUMNS = [
  ['prices', 'price'],
  ['market_caps', 'marketCap'],
  ['total_volumes', 'volume'],
] as const;

/**
 * Writes a chart in pieces: three arrays of `[time, value]` with equal times. A sample without a price is in none of
 * them, and an unknown market cap or volume is null. `perUnit` converts to the parts of a currency.
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
