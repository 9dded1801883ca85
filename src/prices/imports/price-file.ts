import { type Currency, isCurrencyCode } from '#prices/model/currency';
import { isMarketSource, MARKET_SOURCES, PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { SourcedSample } from '#prices/model/sample';
import { FIRST_BLOCK } from '#upstream/items/plausible';
import { type DecimalMark, ImportFileError, openTable } from './csv-file.ts';
import { readNumbers, readTime } from './csv-values.ts';

/** The columns of CoinGecko's export of daily history. The service's own CSV names the first column `date`. */
export const IMPORT_COLUMNS = ['snapped_at', 'price', 'market_cap', 'total_volume'] as const;
/** The service's own CSV has `source` for several sources, and `currency` for currencies other than the US dollar. */
type ImportColumn = (typeof IMPORT_COLUMNS)[number] | 'source' | 'currency';

/** The names of the columns in exports, in lower case, without spaces and hyphens. */
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

/** Reads the header, so that a wrong file is rejected immediately. Throws `ImportFileError`. */
export async function openImportFile(path: string) {
  const { header, row, ...file } = await openTable(path, (fields) => headerOf(path, fields));
  if (!header) throw new ImportFileError(`${path} is empty: use a CSV file with rows`);
  const currency = row?.[header.columns.indexOf('currency')]?.toLowerCase() || header.currency;
  return { ...file, ...header, currency };
}

export type ImportLines = Pick<Awaited<ReturnType<typeof openImportFile>>, 'columns' | 'decimal' | 'lines'>;

const FIGURES = ['price', 'market_cap', 'total_volume'] as const;

/** A fault contains the row's time if that time is readable. */
type ReadRow = { sample: SourcedSample } | { fault: string; at: number | undefined };

/** Returns null for an empty field. Otherwise, returns a finite number of at least 0, or a fault. */
function figureOf(column: ImportColumn, text: string, value: number | 'ambiguous' | undefined): number | null | string {
  if (text === '') return null;
  if (value === 'ambiguous') return `${column} has two readings: write it without separators of thousands`;
  if (value === undefined) return `${column} must be a number`;
  if (!Number.isFinite(value)) return `${column} is too large`;
  if (value < 0) return `${column} must not be negative`;
  return value + 0; // -0 becomes 0
}

function timeFault(at: number, now: number): string | undefined {
  if (at > now) return 'snapped_at is in the future';
  if (at < FIRST_BLOCK) return 'snapped_at is before 2009-01-03, the first block of Bitcoin';
  return undefined;
}

/** Reads one row of an export. Rejects a row whose time is later than `now` (Unix ms). */
export function readImportRow(
  fields: readonly string[],
  columns: readonly ImportColumn[],
  now: number,
  decimal: DecimalMark = '.',
): ReadRow {
  const field = (column: ImportColumn) => fields[columns.indexOf(column)] ?? '';
  const at = readTime(field('snapped_at'));
  if (fields.length !== columns.length) {
    return { fault: `has ${fields.length} columns instead of ${columns.length}`, at };
  }
  if (at === undefined) {
    return { fault: 'snapped_at must be a time such as 2015-08-07 00:00:00 UTC', at };
  }
  const texts = FIGURES.map(field);
  const numbers = readNumbers(texts, decimal);
  const figures = FIGURES.map((column, i) => figureOf(column, texts[i] ?? '', numbers[i]));
  const [price = null, marketCap = null, volume = null] = figures.filter((figure) => typeof figure !== 'string');
  const fault = timeFault(at, now);
  if (fault !== undefined) return { fault, at };
  const source = field('source') || PRIMARY_SOURCE;
  if (!isMarketSource(source)) return { fault: `source must be one of ${MARKET_SOURCES.join(', ')}`, at };
  if (figures[0] === 0) return { fault: 'price must be above 0', at };
  const figureFault = figures.find((figure) => typeof figure === 'string');
  if (figureFault !== undefined) return { fault: figureFault, at };
  return { sample: { at, price, marketCap, volume, source } };
}
