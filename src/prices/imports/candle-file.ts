import { type Currency, isCurrencyCode } from '#prices/model/currency';
import { type CsvLine, ImportFileError, openCsvLines } from './csv-file.ts';

/** The columns of Kraken's bulk files, which have no header. */
export const CANDLE_COLUMNS = ['timestamp', 'open', 'high', 'low', 'close', 'volume', 'trades'] as const;
type CandleColumn = (typeof CANDLE_COLUMNS)[number] | 'currency';
const NAMES: ReadonlySet<string> = new Set([...CANDLE_COLUMNS, 'currency']);
const REQUIRED = CANDLE_COLUMNS.slice(0, 6);

function headerOf(path: string, fields: readonly string[]): readonly CandleColumn[] | undefined {
  const names = fields
    .map((field) => field.toLowerCase())
    .map((name) => (/^(date|time)$/.test(name) ? 'timestamp' : name));
  if (names.includes('price')) throw new ImportFileError(`${path} contains prices: use \`quotient archive import\``);
  if (!names.includes('open')) return undefined;
  const isWhole = REQUIRED.every((column) => names.includes(column));
  if (isWhole && names.every((name) => NAMES.has(name)) && new Set(names).size === names.length)
    return names as CandleColumn[];
  throw new ImportFileError(`${path} has the wrong columns: the columns must be ${REQUIRED.join(',')}`);
}

/** Opens a file of candles: Kraken's, or the service's own CSV, which has a header. Throws `ImportFileError`. */
export async function openCandleFile(path: string) {
  const { decimal, lines } = await openCsvLines(path);
  let columns: readonly CandleColumn[] = CANDLE_COLUMNS;
  let headerLine = 0;
  let currency: Currency | undefined;
  for await (const { line, fields } of lines()) {
    const header = headerLine === 0 && headerOf(path, fields);
    if (header) {
      columns = header;
      headerLine = line;
      continue;
    }
    const named = fields[columns.indexOf('currency')]?.toLowerCase();
    if (named !== undefined && isCurrencyCode(named)) currency = named;
    break;
  }

  return {
    path,
    decimal,
    columns,
    currency,

    async *lines(): AsyncGenerator<CsvLine> {
      for await (const line of lines()) if (line.line > headerLine) yield line;
    },
  };
}

export type CandleFile = Awaited<ReturnType<typeof openCandleFile>>;
