import { SECOND, spreadsheetTime } from '#core/clock';
import type { Currency } from '#prices/model/currency';
import { MARKET_SOURCES, sourcesByFrequency } from '#prices/model/market-sources';
import type { Sample } from '#prices/model/sample';
import { type Columns, columnsOf, PIECE_SAMPLES } from '#prices/model/series';

export const CSV_HEADER = 'date,price,market_cap,total_volume';
/** Where more than one source has told the samples. */
export const CSV_HEADER_WITH_SOURCE = `${CSV_HEADER},source`;

/**
 * A price series as CSV (RFC 4180), in pieces: a header line, times that spreadsheets read, an empty field for an unknown figure; in a
 * fifth column who told each sample, where that is not the same for all; in the last one the currency, where it is not the
 * dollar, so that nobody imports such figures as dollars.
 */
export function* seriesCsv(
  { at, price, marketCap, volume, source }: Columns,
  currency?: Currency,
): Generator<string> {
  const second = (i: number) => Math.floor((at[i] as number) / SECOND);
  /** Of several samples in one second the last figure there is: a line has whole seconds. */
  function field(figures: Float64Array, i: number): number | '' {
    for (let j = i; j >= 0 && second(j) === second(i); j--)
      if (!Number.isNaN(figures[j])) return figures[j] as number;
    return '';
  }
  const isMixed = sourcesByFrequency(source).length > 1;
  const [currencyName, ofCurrency] = currency === undefined ? ['', ''] : [',currency', `,${currency}`];
  yield `${isMixed ? CSV_HEADER_WITH_SOURCE : CSV_HEADER}${currencyName}\r\n`;
  for (let start = 0; start < at.length; start += PIECE_SAMPLES) {
    let lines = '';
    for (let i = start; i < Math.min(start + PIECE_SAMPLES, at.length); i++) {
      if (i + 1 < at.length && second(i + 1) === second(i)) continue;
      const date = spreadsheetTime(at[i] as number);
      const told = isMixed ? `,${MARKET_SOURCES[source[i] as number]}` : '';
      lines += `${date},${field(price, i)},${field(marketCap, i)},${field(volume, i)}${told}${ofCurrency}\r\n`;
    }
    yield lines;
  }
}

export const seriesToCsv = (samples: readonly Sample[], currency?: Currency): string =>
  [...seriesCsv(columnsOf(samples), currency)].join('');
