import type { Sample } from './sample.ts';
import { type Columns, columnsOf, PIECE_SAMPLES } from './series.ts';

export const CSV_HEADER = 'date,price,market_cap,total_volume';

/** A price series as CSV (RFC 4180), in pieces: a header line, ISO 8601 dates, an empty field for an unknown figure. */
export function* seriesCsv({ at, price, marketCap, volume }: Columns): Generator<string> {
  const field = (figure: number | undefined) => (Number.isNaN(figure) ? '' : figure);
  yield `${CSV_HEADER}\r\n`;
  for (let start = 0; start < at.length; start += PIECE_SAMPLES) {
    let lines = '';
    for (let i = start; i < Math.min(start + PIECE_SAMPLES, at.length); i++) {
      const date = new Date(at[i] as number).toISOString();
      lines += `${date},${field(price[i])},${field(marketCap[i])},${field(volume[i])}\r\n`;
    }
    yield lines;
  }
}

export const seriesToCsv = (samples: readonly Sample[]): string =>
  [...seriesCsv(columnsOf(samples))].join('');
