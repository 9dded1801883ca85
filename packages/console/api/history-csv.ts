import type { Candle, PriceSeries } from '../../client/index.ts';
import { type CsvField, csvText, SEPARATOR } from '../../pages/csv.ts';

/* Writes the service's CSV format, in the form that fits the browser's locale. */

const COLUMNS = ['prices', 'market_cap', 'total_volume'] as const;

/** `2026-11-21` for midnight, `2026-11-21 13:05:00` for any other time. */
export function spreadsheetTime(date: Date): string {
  const text = date.toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}

/** Adds the column `currency`, except for US dollars. */
export function historyCsv(
  heads: readonly string[],
  rows: readonly (readonly CsvField[])[],
  currency: string,
  separator = SEPARATOR,
): string {
  if (currency === 'usd') return csvText([heads, ...rows], separator);
  return csvText([[...heads, 'currency'], ...rows.map((row) => [...row, currency])], separator);
}

/** Writes one line per time. */
export function seriesToCsv(series: PriceSeries, currency: string, separator = SEPARATOR): string {
  const lines = new Map<number, (number | undefined)[]>();
  for (const [column, name] of COLUMNS.entries()) {
    for (const { date, price } of series[name]) {
      const line = lines.get(date.getTime()) ?? [undefined, undefined, undefined];
      line[column] = price;
      lines.set(date.getTime(), line);
    }
  }
  const rows = [...lines].sort(([a], [b]) => a - b).map(([at, values]) => [spreadsheetTime(new Date(at)), ...values]);
  return historyCsv(['date', 'price', 'market_cap', 'total_volume'], rows, currency, separator);
}

export const candlesToCsv = (candles: readonly Candle[], currency: string, separator = SEPARATOR): string =>
  historyCsv(
    ['date', 'open', 'high', 'low', 'close', 'volume'],
    candles.map(({ date, open, high, low, close, volume }) => [spreadsheetTime(date), open, high, low, close, volume]),
    currency,
    separator,
  );
