import { isCurrencyCode } from '#prices/model/currency';
import { ImportFileError, openTable } from './csv-file.ts';

/** The columns of Kraken's bulk files, which have no header. */
export const CANDLE_COLUMNS = ['timestamp', 'open', 'high', 'low', 'close', 'volume', 'trades'] as const;
type CandleColumn = (typeof CANDLE_COLUMNS)[number] | 'currency';
const isColumn = (name: string): name is CandleColumn =>
  name === 'currency' || CANDLE_COLUMNS.some((column) => column === name);
const REQUIRED = CANDLE_COLUMNS.slice(0, 6);

function headerOf(path: string, fields: readonly string[]): readonly CandleColumn[] | undefined {
  const names = fields
    .map((field) => field.toLowerCase())
    .map((name) => (/^(date|time)$/.test(name) ? 'timestamp' : name));
  if (names.includes('price')) throw new ImportFileError(`${path} contains prices: use \`quotient archive import\``);
  if (!names.includes('open')) return undefined;
  const isWhole = REQUIRED.every((column) => names.includes(column));
  if (isWhole && names.every(isColumn) && new Set(names).size === names.length) return names;
  throw new ImportFileError(`${path} has the wrong columns: the columns must be ${REQUIRED.join(',')}`);
}

/** Opens a file of candles: Kraken's, or the service's own CSV, which has a header. Throws `ImportFileError`. */
export async function openCandleFile(path: string) {
  const { header, row, ...file } = await openTable(path, (fields) => headerOf(path, fields));
  const columns: readonly CandleColumn[] = header ?? CANDLE_COLUMNS;
  const currency = row?.[columns.indexOf('currency')]?.toLowerCase();
  return { ...file, columns, currency: currency !== undefined && isCurrencyCode(currency) ? currency : undefined };
}

export type CandleFile = Awaited<ReturnType<typeof openCandleFile>>;
