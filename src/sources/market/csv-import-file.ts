import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';
import { IMPORT_COLUMNS, type ImportColumn, type ImportLine } from '#domain/market/import-row';

/** A line longer than this is no line of an export; it is what memory one file can take. */
const LONGEST_LINE = 1_000_000;

/** The file cannot be read as an export at all. */
export class ImportFileError extends Error {
  override readonly name = 'ImportFileError';
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory',
  CSV_MAX_RECORD_SIZE: 'has a line too long to be one of an export',
};

function unreadable(path: string, error: unknown): ImportFileError {
  const { code = '', message } = error as NodeJS.ErrnoException | CsvError;
  return new ImportFileError(`${path} ${REASONS[code] ?? `cannot be read: ${message}`}`);
}

/** The names of the service's own CSV that the aggregator's export has another name for. */
const SERVICE_NAMES: Readonly<Record<string, ImportColumn>> = { date: 'snapped_at' };

/** Spreadsheets put fields in quotes. */
const bare = (field: string) => field.trim().replace(/^"(.*)"$/, '$1');

/**
 * The aggregator's CSV export of a coin, or the service's own CSV, to be read as often as need be, in constant memory. The
 * header is read here, so that a wrong file is told at once. Lines end in LF, CRLF or CR; a byte order mark, empty lines
 * and quotes around a field do no harm.
 *
 * @throws ImportFileError when it is not there, not a file, empty, or has another header
 */
export async function openImportFile(path: string) {
  const facts = await stat(path).catch((error) => {
    throw unreadable(path, error);
  });
  if (facts.isDirectory()) throw new ImportFileError(`${path} is a directory`);
  if (!facts.isFile()) throw new ImportFileError(`${path} is not a regular file`);
  if (facts.size === 0) throw new ImportFileError(`${path} is empty`);

  /** Every line that is not empty, the header too. */
  async function* records(): AsyncGenerator<ImportLine> {
    const file = createReadStream(path);
    // No quotes: a stray one would make one field of the rest of the file. So a line is a record.
    const parser = parse({
      bom: true,
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
        const fields = record.map(bare);
        if (fields.some((field) => field !== '')) yield { line: info.lines, fields };
      }
    } catch (error) {
      throw unreadable(path, (await failed) ?? error);
    } finally {
      file.destroy();
    }
  }

  async function readHeader(): Promise<ImportColumn[]> {
    for await (const { fields } of records()) {
      // A CSV of the service says who told each row where that is not always the same.
      const names = fields.map((field) => field.toLowerCase()).map((name) => SERVICE_NAMES[name] ?? name);
      const wanted = IMPORT_COLUMNS.join(',');
      const figures = names.filter((name) => name !== 'source');
      const isWhole = IMPORT_COLUMNS.every((column) => names.includes(column));
      if (isWhole && figures.length === IMPORT_COLUMNS.length && names.length - figures.length <= 1)
        return names as ImportColumn[];
      const isHeader = IMPORT_COLUMNS.some((column) => names.includes(column));
      throw new ImportFileError(
        isHeader
          ? `${path} has other columns than ${wanted}`
          : `${path} has no header: its first line must be ${wanted}`,
      );
    }
    throw new ImportFileError(`${path} is empty`);
  }

  const columns = await readHeader();

  return {
    /** What each field of a line is. */
    columns: columns as readonly ImportColumn[],

    /** The lines after the header, one pass for each call. Throws `ImportFileError`. */
    async *lines(): AsyncGenerator<ImportLine> {
      let isHeader = true;
      for await (const line of records()) {
        if (!isHeader) yield line;
        isHeader = false;
      }
    },
  };
}

export type ImportFile = Awaited<ReturnType<typeof openImportFile>>;
