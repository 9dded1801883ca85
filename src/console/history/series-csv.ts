import type { PriceSeries } from '../client/index.ts';

const COLUMNS = ['prices', 'market_cap', 'total_volume'] as const;

/**
 * The series as the service itself writes CSV: a line for each instant that any of the three knows, an unknown figure
 * is an empty field. From what is there already, so it costs no call.
 */
export function seriesToCsv(series: PriceSeries): string {
  const rows = new Map<number, (number | undefined)[]>();
  COLUMNS.forEach((name, column) => {
    for (const { date, price } of series[name]) {
      const row = rows.get(date.getTime()) ?? [undefined, undefined, undefined];
      row[column] = price;
      rows.set(date.getTime(), row);
    }
  });
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([at, figures]) => [new Date(at).toISOString(), ...figures].join(','));
  return ['date,price,market_cap,total_volume', ...lines, ''].join('\r\n');
}
