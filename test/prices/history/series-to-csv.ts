import { seriesCsv } from '#prices/history/series-text';
import type { Currency } from '#prices/model/currency';
import type { Sample } from '#prices/model/sample';
import { columnsOf, POINTS } from '#prices/model/series';

/** The samples as the service's CSV. */
export const seriesToCsv = (samples: readonly Sample[], currency?: Currency): string =>
  [...seriesCsv(columnsOf(POINTS, samples), currency)].join('');
