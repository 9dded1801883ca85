import { iso, isoDate, SECOND } from '#core/clock';
import { isOneOf } from '#core/names';
import { type Candle, candleLength } from '#prices/model/candle';
import { isCurrencyCode } from '#prices/model/currency';
import { INTERVALS, type Interval } from '#prices/model/interval';
import { FIRST_BLOCK } from '#upstream/items/plausible';
import { type BadLine, type CsvLine, ImportFileError, openTable } from './csv-file.ts';
import { readNumbers, readTime } from './csv-values.ts';

/** The columns of Kraken's bulk files, which have no header. */
export const CANDLE_COLUMNS = ['timestamp', 'open', 'high', 'low', 'close', 'volume', 'trades'] as const;
type CandleColumn = (typeof CANDLE_COLUMNS)[number] | 'currency';
const isColumn = (name: string): name is CandleColumn => name === 'currency' || isOneOf(CANDLE_COLUMNS, name);
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

/** Unix seconds are smaller than this until the year 5138. Unix milliseconds have been larger since 1973. */
const LARGEST_SECONDS = 1e11;
type ReadCandle = { candle: Candle } | { fault: string };
type Form = Pick<CandleFile, 'columns' | 'decimal'>;

function timestampOf({ line, fields }: CsvLine, { columns }: Form): number | { fault: string } {
  const text = fields[columns.indexOf('timestamp')] ?? '';
  if (!/^\d+$/.test(text)) {
    const header = line === 1 ? ` (without a header, the columns must be ${CANDLE_COLUMNS.join(',')})` : '';
    return readTime(text) ?? { fault: `timestamp must be an integer in Unix seconds, or a time in UTC${header}` };
  }
  if (Number(text) < LARGEST_SECONDS) return Number(text) * SECOND;
  return { fault: 'timestamp is in milliseconds, but must be in Unix seconds' };
}

const FIGURES = ['open', 'high', 'low', 'close', 'volume'] as const;

function readFigures({ line, fields }: CsvLine, form: Form): ReadCandle {
  const { columns, decimal } = form;
  if (fields.length !== columns.length)
    return { fault: `has ${fields.length} columns instead of ${columns.length} (${columns.join(',')})` };
  const at = timestampOf({ line, fields }, form);
  if (typeof at === 'object') return at;
  const names = columns.includes('trades') ? [...FIGURES, 'trades' as const] : FIGURES;
  const texts = names.map((name) => fields[columns.indexOf(name)] ?? '');
  const numbers = readNumbers(texts, decimal);
  const wrong = numbers.findIndex((value) => !(typeof value === 'number' && value >= 0 && Number.isFinite(value)));
  if (wrong >= 0) return { fault: `${names[wrong]} must be a number of at least 0` };
  const [open, high, low, close, volume] = numbers as [...[number, number, number, number, number]];
  return { candle: { at, open, high, low, close, volume } };
}

function faultOf({ at, open, high, low, close }: Candle, interval: Interval, now: number): string | undefined {
  const length = candleLength(interval);
  if (at < FIRST_BLOCK) return `is before ${isoDate(FIRST_BLOCK)}, the date of Bitcoin's first block`;
  if (at + length > now) return 'is not finished yet, or is in the future';
  if (at % length !== 0) return `must start on a boundary of ${LENGTHS[interval]}`;
  if (low <= 0) return 'low must be above 0';
  if (low > Math.min(open, close)) return 'low must be the lowest price';
  if (high < Math.max(open, close)) return 'high must be the highest price';
  return undefined;
}

const LENGTHS = { minute: 'five minutes', hour: 'an hour', day: 'a day' } as const;
type Order = { interval: Interval; now: number; allowHoles: boolean };

/** Checks the lines of a file in order, and compares each with the newest candle so far. */
export function createCandleReader(form: Form, { interval, now, allowHoles }: Order) {
  const length = candleLength(interval);
  let last: { at: number; line: number } | undefined;

  function against(at: number): string | undefined {
    if (!last) return undefined;
    if (at === last.at) return `has the same time as line ${last.line}`;
    if (at < last.at) return `is earlier than line ${last.line}`;
    const missing = Math.round((at - last.at) / length) - 1;
    if (missing === 0 || allowHoles) return undefined;
    return `${missing} candle(s) before this line are missing, from ${iso(last.at + length)}`;
  }

  return function read(line: CsvLine): ReadCandle {
    const figures = readFigures(line, form);
    if ('fault' in figures) return figures;
    const { candle } = figures;
    const fault = faultOf(candle, interval, now) ?? against(candle.at);
    if (!last || candle.at > last.at) last = { at: candle.at, line: line.line };
    return fault === undefined ? figures : { fault };
  };
}

/** Derives the interval from the smallest distance between two lines. Returns a bad line if no interval matches. */
export async function intervalOf(file: CandleFile): Promise<Interval | BadLine> {
  let smallest = { length: Number.POSITIVE_INFINITY, line: 1 };
  let last = Number.NaN;
  for await (const line of file.lines()) {
    const at = timestampOf(line, file);
    if (typeof at === 'object') return { line: line.line, ...at };
    const length = Math.abs(at - last);
    if (length > 0 && length < smallest.length) smallest = { length, line: line.line };
    last = at;
  }
  const { length, line } = smallest;
  const between =
    length === Number.POSITIVE_INFINITY ? 'is the only line' : `is ${length / 1000} s after the previous line`;
  const wanted = 'five minutes (300 s), an hour (3600 s) or a day (86400 s)';
  const fault = `${between}: the shortest time between two lines must be ${wanted}`;
  return INTERVALS.find((interval) => candleLength(interval) === length) ?? { line, fault };
}
