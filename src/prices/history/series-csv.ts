import { SECOND, spreadsheetTime } from '#core/clock';
import type { Currency } from '#prices/model/currency';
import { MARKET_SOURCES, sourcesByFrequency } from '#prices/model/market-sources';
import { POINTS, type PointColumns } from '#prices/model/points';
import type { Sample } from '#prices/model/sample';
import { columnsOf } from '#prices/model/series';
import { inCsv } from '#prices/model/text';

export const CSV_HEADER = 'date,price,market_cap,total_volume';
/** Where more than one source has told the samples. */
const CSV_HEADER_WITH_SOURCE = `${CSV_HEADER},source`;

/**
 * A price series as CSV, in pieces: times that spreadsheets read, an empty field for an unknown figure; in a fifth column
 * who told each sample, where that is not the same for all.
 */
export function seriesCsv(
  { at, price, marketCap, volume, source }: PointColumns,
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
  const fields = (i: number) => {
    if (i + 1 < at.length && second(i + 1) === second(i)) return undefined;
    const told = isMixed ? `,${MARKET_SOURCES[source[i] as number]}` : '';
    return `${spreadsheetTime(at[i] as number)},${field(price, i)},${field(marketCap, i)},${field(volume, i)}${told}`;
  };
  return inCsv(isMixed ? CSV_HEADER_WITH_SOURCE : CSV_HEADER, at.length, fields, currency);
}

export const seriesToCsv = (samples: readonly Sample[], currency?: Currency): string =>
  [...seriesCsv(columnsOf(POINTS, samples), currency)].join('');
