import { type Currency, isCurrencyCode } from '#prices/model/currency';
import { type CsvLine, type CsvLines, ImportFileError, openCsvLines } from './csv-file.ts';

/** The columns of CoinGecko's export of daily history. The service's own CSV names the first column `date`. */
export const IMPORT_COLUMNS = ['snapped_at', 'price', 'market_cap', 'total_volume'] as const;
/**
 * The service's own CSV also has the column `source` if there are several sources, and `currency` if the currency is
 * not the US dollar.
 */
export type ImportColumn = (typeof IMPORT_COLUMNS)[number] | 'source' | 'currency';

/**
 * Names of the columns in the service's exports and in third-party exports, in lower case, without spaces and hyphens.
 */
const NAMES: ReadonlyMap<string, ImportColumn> = new Map([
  ...['snapped_at', 'date', 'datetime', 'time', 'timestamp'].map((name) => [name, 'snapped_at'] as const),
  ['price', 'price'],
  ['market_cap', 'market_cap'],
  ['marketcap', 'market_cap'],
  ['total_volume', 'total_volume'],
  ['volume', 'total_volume'],
  ['source', 'source'],
  ['currency', 'currency'],
]);
/** A column may name its currency: `price_eur`, `Price (EUR)`. */
const WITH_CURRENCY = /^(.+?)_?[([]?([a-z]{3})[)\]]?$/;

type Header = { columns: readonly ImportColumn[]; currency: Currency | undefined };

function columnOf(field: string): { column: ImportColumn | undefined; currency?: Currency } {
  const name = field.toLowerCase().replace(/[\s-]+/g, '_');
  const column = NAMES.get(name);
  if (column) return { column };
  const [, start = '', currency = ''] = WITH_CURRENCY.exec(name) ?? [];
  return isCurrencyCode(currency) ? { column: NAMES.get(start), currency } : { column: undefined };
}

function headerOf(path: string, fields: readonly string[]): Header {
  const named = fields.map(columnOf);
  const columns = named.flatMap(({ column }) => column ?? []);
  const isWhole = IMPORT_COLUMNS.every((column) => columns.includes(column));
  if (isWhole && columns.length === fields.length && new Set(columns).size === columns.length)
    return { columns, currency: named.find(({ currency }) => currency)?.currency };
  if (fields.some((field) => /^open$/i.test(field)))
    throw new ImportFileError(`${path} contains candles: use \`quotient archive import-candles\``);
  const names = IMPORT_COLUMNS.join(',');
  throw new ImportFileError(
    columns.length > 0
      ? `${path} has the wrong columns: the columns must be ${names}`
      : `${path} has no header: the first line must be ${names}`,
  );
}

/** Reads the header and, if there is a column `currency`, the currency of the first row. */
async function readHeader({ path, lines }: CsvLines): Promise<Header> {
  let header: Header | undefined;
  for await (const { fields } of lines()) {
    if (!header) {
      header = headerOf(path, fields);
      if (!header.columns.includes('currency')) return header;
    } else {
      const currency = fields[header.columns.indexOf('currency')]?.toLowerCase();
      return { ...header, currency: currency || header.currency };
    }
  }
  if (header) return header;
  throw new ImportFileError(`${path} is empty: use a CSV file with rows`);
}

/** Reads the header, so that a wrong file is rejected immediately. Throws `ImportFileError`. */
export async function openImportFile(path: string) {
  const file = await openCsvLines(path);
  return {
    ...file,
    ...(await readHeader(file)),

    /** Returns the lines after the header. Each call starts a new pass. Throws `ImportFileError`. */
    async *lines(): AsyncGenerator<CsvLine> {
      let isHeader = true;
      for await (const line of file.lines()) {
        if (!isHeader) yield line;
        isHeader = false;
      }
    },
  };
}

export type ImportLines = Pick<Awaited<ReturnType<typeof openImportFile>>, 'columns' | 'decimal' | 'lines'>;
