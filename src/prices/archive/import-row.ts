import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';
import { isMarketSource, MARKET_SOURCES, PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { SourcedSample } from '#prices/model/sample';
import { FIRST_BLOCK } from '#upstream/plausible';

/** The columns of CoinGecko's export of daily history. The service's own CSV names the first column `date`. */
export const IMPORT_COLUMNS = ['snapped_at', 'price', 'market_cap', 'total_volume'] as const;
/** Some of the service's own CSVs also have the column `source`. */
export type ImportColumn = (typeof IMPORT_COLUMNS)[number] | 'source';

/** A fault has a time if the row's time is readable. */
type ReadRow = { sample: SourcedSample } | { fault: string; at: number | undefined };
const TIME = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)(?: UTC|Z)?)?$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Parses `2015-08-07 00:00:00 UTC` or the service's own formats (ISO 8601, a date) to Unix ms. */
function readTime(text: string): number | undefined {
  const [, date, time = '00:00:00'] = TIME.exec(text) ?? [];
  const at = Date.parse(`${date}T${time}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(`${date}`) ? at : undefined;
}

/** Returns null for an empty field, a finite number from 0, or a fault. */
function readFigure(column: ImportColumn, text: string): number | null | { fault: string } {
  if (text === '') return null;
  if (!NUMBER.test(text)) return { fault: `${column} must be a number` };
  const value = Number(text);
  if (!Number.isFinite(value)) return { fault: `${column} is too large` };
  if (value < 0) return { fault: `${column} must not be negative` };
  return value + 0; // -0 becomes 0
}

function timeFault(at: number, now: number): string | undefined {
  if (at > now) return 'snapped_at is in the future';
  if (at < FIRST_BLOCK) return 'snapped_at is before 2009-01-03, the first block of Bitcoin';
  return undefined;
}

/** Reads one row of an export. Rejects a row later than `now` (Unix ms). */
export function readImportRow(fields: readonly string[], columns: readonly ImportColumn[], now: number): ReadRow {
  const field = (column: ImportColumn) => fields[columns.indexOf(column)] ?? '';
  const at = readTime(field('snapped_at'));
  if (fields.length !== columns.length) {
    return { fault: `has ${fields.length} columns instead of ${columns.length}`, at };
  }
  if (at === undefined) {
    return { fault: 'snapped_at must be a time such as 2015-08-07 00:00:00 UTC', at };
  }
  const [price, marketCap, volume] = (['price', 'market_cap', 'total_volume'] as const).map((column) =>
    readFigure(column, field(column)),
  ) as [ReturnType<typeof readFigure>, ReturnType<typeof readFigure>, ReturnType<typeof readFigure>];
  const fault = timeFault(at, now);
  if (fault !== undefined) return { fault, at };
  const source = field('source') || PRIMARY_SOURCE;
  if (!isMarketSource(source)) return { fault: `source must be one of ${MARKET_SOURCES.join(', ')}`, at };
  if (price === 0) return { fault: 'price must be above 0', at };
  for (const figure of [price, marketCap, volume]) {
    if (figure !== null && typeof figure === 'object') return { fault: figure.fault, at };
  }
  return { sample: { at, price, marketCap, volume, source } as SourcedSample };
}

/** The maximum length of a line in characters, which limits the memory for one file. */
const LONGEST_LINE = 1_000_000;

export type CsvLine = { line: number; fields: readonly string[] };

export type BadLine = { line: number; fault: string };

export class ImportFileError extends Error {
  override readonly name = 'ImportFileError';
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist: check the path',
  EACCES: 'cannot be read: change its permissions',
  EPERM: 'cannot be read: change its permissions',
  ENOTDIR: 'does not exist: check the path',
  EISDIR: 'is a directory: use a CSV file',
  CSV_MAX_RECORD_SIZE: 'has a line that is too long for a price export: use a CSV file',
};

function unreadable(path: string, error: unknown): ImportFileError {
  const { code = '', message } = error as NodeJS.ErrnoException | CsvError;
  return new ImportFileError(`${path} ${REASONS[code] ?? `cannot be read: ${message}`}`);
}

/** Removes the quotes that spreadsheets add to fields. */
const bare = (field: string) => field.trim().replace(/^"(.*)"$/, '$1');

/** The number of bytes in which the first line is searched for its separator. */
const FIRST_BYTES = 4096;

/** Semicolons separate the fields of CSV with a decimal comma (`separator=semicolon`). */
async function hasSemicolons(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0);
    return /\S.*/.exec(buffer.toString('utf8', 0, bytesRead))?.[0].includes(';') ?? false;
  } finally {
    await file.close();
  }
}

/** Exchanges points and commas, so that a point in a number with a decimal comma is not read as a decimal point. */
const withDecimalPoint = (field: string) => field.replace(/[.,]/g, (mark) => (mark === ',' ? '.' : ','));

/**
 * Reads CSV in constant memory. Accepts all line endings, a BOM, quotes, and semicolons with a decimal comma. Throws
 * `ImportFileError`.
 */
export async function openCsvLines(path: string) {
  const facts = await stat(path).catch((error) => {
    throw unreadable(path, error);
  });
  if (facts.isDirectory()) throw new ImportFileError(`${path} is a directory: use a CSV file`);
  if (!facts.isFile()) throw new ImportFileError(`${path} is not a file: use a CSV file`);
  if (facts.size === 0) throw new ImportFileError(`${path} is empty: use a CSV file with rows`);
  const isSemicolons = await hasSemicolons(path).catch((error) => {
    throw unreadable(path, error);
  });

  return {
    /** Returns the lines that are not empty. Each call starts a new pass. Throws `ImportFileError`. */
    async *lines(): AsyncGenerator<CsvLine> {
      const file = createReadStream(path);
      // Quotes are not parsed, because a stray quote would merge the rest of the file into one field.
      const parser = parse({
        bom: true,
        delimiter: isSemicolons ? ';' : ',',
        info: true,
        quote: false,
        relax_column_count: true,
        skip_empty_lines: true,
        record_delimiter: ['\r\n', '\n', '\r'],
        max_record_size: LONGEST_LINE,
      });
      const failed = new Promise<unknown>((resolve) => {
        pipeline(file, parser, resolve);
      });
      try {
        for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
          const fields = record.map(bare).map((field) => (isSemicolons ? withDecimalPoint(field) : field));
          if (fields.some((field) => field !== '')) yield { line: info.lines, fields };
        }
      } catch (error) {
        throw unreadable(path, (await failed) ?? error);
      } finally {
        file.destroy();
      }
    },
  };
}

export type CsvLines = Awaited<ReturnType<typeof openCsvLines>>;
