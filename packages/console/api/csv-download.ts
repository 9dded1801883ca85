import type { Candle, PriceSeries } from '../../client/index.ts';

/** What is loaded, in the service's CSV format. The last column is the currency unless that is US dollars. */

const COLUMNS = ['prices', 'market_cap', 'total_volume'] as const;

function file(header: string, lines: readonly string[], currency: string): string {
  if (currency === 'usd') return [header, ...lines, ''].join('\r\n');
  return [`${header},currency`, ...lines.map((line) => `${line},${currency}`), ''].join('\r\n');
}

/** A line for each time that any metric has, an empty field for an unknown value. */
export function seriesToCsv(series: PriceSeries, currency: string): string {
  const rows = new Map<number, (number | undefined)[]>();
  for (const [column, name] of COLUMNS.entries()) {
    for (const { date, price } of series[name]) {
      const row = rows.get(date.getTime()) ?? [undefined, undefined, undefined];
      row[column] = price;
      rows.set(date.getTime(), row);
    }
  }
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([at, values]) => [spreadsheetTime(new Date(at)), ...values].join(','));
  return file('date,price,market_cap,total_volume', lines, currency);
}

function spreadsheetTime(date: Date): string {
  const text = date.toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}

export const candlesToCsv = (candles: readonly Candle[], currency: string): string =>
  file(
    'date,open,high,low,close,volume',
    candles.map(({ date, open, high, low, close, volume }) =>
      [spreadsheetTime(date), open, high, low, close, volume].join(','),
    ),
    currency,
  );
