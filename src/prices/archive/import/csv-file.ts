import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';

/** A line longer than this is no line of an export; it is what memory one file can take. */
const LONGEST_LINE = 1_000_000;

/** One line of a file: its number, counted from 1, and its fields. */
export type CsvLine = { line: number; fields: readonly string[] };

/** A line that is not imported: its number in the file, and why. */
export type BadLine = { line: number; fault: string };

/** The file cannot be read as an export at all. */
export class ImportFileError extends Error {
  override readonly name = 'ImportFileError';
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist: check the path',
  EACCES: 'cannot be read: change its permissions',
  EPERM: 'cannot be read: change its permissions',
  ENOTDIR: 'does not exist: check the path',
  EISDIR: 'is a directory: give a CSV file',
  CSV_MAX_RECORD_SIZE: 'has a line too long to be one of an export',
};

function unreadable(path: string, error: unknown): ImportFileError {
  const { code = '', message } = error as NodeJS.ErrnoException | CsvError;
  return new ImportFileError(`${path} ${REASONS[code] ?? `cannot be read: ${message}`}`);
}

/** Spreadsheets put fields in quotes. */
const bare = (field: string) => field.trim().replace(/^"(.*)"$/, '$1');

/**
 * A CSV file, to be read as often as need be, in constant memory. Lines end in LF, CRLF or CR; a byte order mark, empty
 * lines and quotes around a field do no harm.
 *
 * @throws ImportFileError when it is not there, not a file, or empty
 */
export async function openCsvLines(path: string) {
  const facts = await stat(path).catch((error) => {
    throw unreadable(path, error);
  });
  if (facts.isDirectory()) throw new ImportFileError(`${path} is a directory: give a CSV file`);
  if (!facts.isFile()) throw new ImportFileError(`${path} is not a regular file: give a CSV file`);
  if (facts.size === 0) throw new ImportFileError(`${path} is empty: give a file with rows`);

  return {
    /** Every line that is not empty, one pass for each call. Throws `ImportFileError`. */
    async *lines(): AsyncGenerator<CsvLine> {
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
    },
  };
}

export type CsvLines = Awaited<ReturnType<typeof openCsvLines>>;
