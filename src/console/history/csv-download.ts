import type { PriceSeries } from '../../client/index.ts';

const COLUMNS = ['prices', 'market_cap', 'total_volume'] as const;

/**
 * The series in the service's own CSV format, made from loaded data, so that it costs no call: a line for each time
 * that any metric has, an empty field for an unknown value.
 */
export function seriesToCsv(series: PriceSeries): string {
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
    .map(([at, values]) => [new Date(at).toISOString(), ...values].join(','));
  return ['date,price,market_cap,total_volume', ...lines, ''].join('\r\n');
}
