import type { TokenName } from '#catalogue/token';
import { type Clock, iso, isoDate, SECOND, spreadsheetTime } from '#core/clock';
import { httpDate, inCsv, inJson } from '#prices/history/series-text';
import { CANDLE_COLUMNS, type CandleFile } from '#prices/imports/candle-file';
import type { BadLine, CsvLine } from '#prices/imports/csv-file';
import { readNumbers, readTime } from '#prices/imports/csv-values';
import { createDailyPrices } from '#prices/imports/units';
import { type Candle, type CandleColumns, candleLength } from '#prices/model/candle';
import type { Currency, UsdRate } from '#prices/model/currency';
import { INTERVALS, type Interval } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { FIRST_BLOCK } from '#upstream/items/plausible';
import { candleImport } from './candle-cache.ts';
import { isCandleSettled } from './candle-coverage.ts';
import type { CandleStore } from './candle-store.ts';

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

/** The volume is in tokens. */
function inDollars({ at, open, high, low, close, volume }: Candle, usdRate: UsdRate): Candle {
  const rate = usdRate(at);
  return { at, open: open * rate, high: high * rate, low: low * rate, close: close * rate, volume };
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
function createCandleReader(form: Form, { interval, now, allowHoles }: Order) {
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

export const CANDLES_CSV_HEADER = 'date,open,high,low,close,volume';

/** Writes JSON text in pieces: an array of `{date, open, high, low, close, volume}`, where `date` is an HTTP-date. */
export const candlesJson = ({ at, open, high, low, close, volume }: CandleColumns): Generator<string> =>
  inJson(at.length, (i) => ({
    date: httpDate(at[i] as number),
    open: open[i],
    high: high[i],
    low: low[i],
    close: close[i],
    volume: volume[i],
  }));

export const candlesCsv = (columns: CandleColumns, currency?: Currency): Generator<string> => {
  const { at, open, high, low, close, volume } = columns;
  const fields = (i: number) =>
    `${spreadsheetTime(at[i] as number)},${open[i]},${high[i]},${low[i]},${close[i]},${volume[i]}`;
  return inCsv(CANDLES_CSV_HEADER, at.length, fields, currency);
};

const BATCH_ROWS = 2000;

/** The candles without trades since the last candle, at its close and with volume 0, and then the candle. */
function* candlesThrough(last: Candle | undefined, candle: Candle, length: number): Generator<Candle> {
  if (last) {
    const { close } = last;
    for (let at = last.at + length; at < candle.at; at += length)
      yield { at, open: close, high: close, low: close, close, volume: 0 };
  }
  yield candle;
}

type Options = {
  token: TokenName;
  source: MarketSourceName;
  interval: Interval;
  /** Whether to accept gaps. Kraken omits candles without trades. */
  allowHoles: boolean;
  /** The value of one unit of the file's currency in US dollars. Undefined for a file in US dollars. */
  usdRate?: UsdRate | undefined;
};

export function createCandleImport({ store, clock }: { store: Pick<CandleStore, 'import'>; clock: Clock }) {
  return {
    /** Reads the whole file without storing anything. Returns the number of bad lines, and the prices. */
    async check(file: CandleFile, { interval, allowHoles }: Options, onBad: (bad: BadLine) => void) {
      const daily = createDailyPrices();
      const read = createCandleReader(file, { interval, allowHoles, now: clock.now() });
      let good = 0;
      let bad = 0;
      const report = (badLine: BadLine) => {
        bad += 1;
        onBad(badLine);
      };
      for await (const line of file.lines()) {
        const result = read(line);
        if ('candle' in result) {
          good += 1;
          daily.add(result.candle.at, result.candle.open);
        } else report({ line: line.line, ...result });
      }
      if (good + bad === 0) report({ line: 1, fault: 'the file contains no candles' });
      return { bad, daily };
    },

    /** Imports a checked file as a whole or not at all. `added` counts added candles. Throws `ImportFileError`. */
    async run(file: CandleFile, { token, source, interval, allowHoles, usdRate }: Options) {
      const now = clock.now();
      const length = candleLength(interval);
      const read = createCandleReader(file, { interval, allowHoles, now });
      let count = 0;
      let added = 0;
      let first: Candle | undefined;
      let last: Candle | undefined;

      function candleOf(line: CsvLine): Candle {
        const result = read(line);
        if ('candle' in result) return usdRate ? inDollars(result.candle, usdRate) : result.candle;
        throw new Error(`line ${line.line} ${result.fault}: the file has changed since it was checked`);
      }

      async function* batches() {
        let batch: (Candle & { final: boolean })[] = [];
        for await (const line of file.lines()) {
          const candle = candleOf(line);
          count += 1;
          for (const filledCandle of candlesThrough(last, candle, length)) {
            added += filledCandle === candle ? 0 : 1;
            batch.push({ ...filledCandle, final: isCandleSettled(filledCandle.at, length, now) });
            if (batch.length < BATCH_ROWS) continue;
            yield batch;
            batch = [];
          }
          first ??= candle;
          last = candle;
        }
        yield batch;
      }

      const covered = () => ({ from: first?.at ?? 0, thru: (last?.at ?? 0) + length - 1 });
      const series = { token, interval };
      const stored = await store.import(candleImport(series), { ...series, source }, batches(), covered, now);
      return { count, added, stored };
    },
  };
}
