import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { toError } from '#core/errors';

/** The maximum length of a line in characters, which limits the memory for one file. */
const LONGEST_LINE = 1_000_000;
/** The number of first bytes from which the encoding and the separator are detected. */
const FIRST_BYTES = 4096;

export type CsvLine = { line: number; fields: readonly string[] };
export type BadLine = { line: number; fault: string };
/** The decimal mark of the numbers. A field with the other mark is accepted only if it is unambiguous. */
export type DecimalMark = '.' | ',';

export class ImportFileError extends Error {
  override readonly name = 'ImportFileError';
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist: check the path',
  EACCES: 'cannot be read: change its permissions',
  EPERM: 'cannot be read: change its permissions',
  ENOTDIR: 'does not exist: check the path',
  EISDIR: 'is a directory: use a CSV file',
};

function unreadable(path: string, error: unknown): ImportFileError {
  if (error instanceof ImportFileError) return error;
  const { code = '', message } = toError(error);
  return new ImportFileError(`${path} ${REASONS[code] ?? `cannot be read: ${message}`}`);
}

const BYTE_ORDER_MARKS = [
  { bytes: 'efbbbf', encoding: 'utf-8' },
  { bytes: 'fffe', encoding: 'utf-16le' },
  { bytes: 'feff', encoding: 'utf-16be' },
];
/** The first bytes of files that operators mistake for CSV. */
const OTHER_KINDS = [
  { bytes: '1f8b', fault: 'is compressed with gzip: decompress it' },
  { bytes: '504b0304', fault: 'is a ZIP file or a spreadsheet: extract it, or save it as CSV' },
  { bytes: 'd0cf11e0', fault: 'is a spreadsheet: save it as CSV' },
];

function encodingOf(path: string, head: Buffer): string {
  const startsWith = ({ bytes }: { bytes: string }) => head.toString('hex', 0, 4).startsWith(bytes);
  const other = OTHER_KINDS.find(startsWith);
  if (other) throw new ImportFileError(`${path} ${other.fault}`);
  const marked = BYTE_ORDER_MARKS.find(startsWith);
  // Text in UTF-8 has no zero bytes.
  if (!marked && head.includes(0)) throw new ImportFileError(`${path} is not text in UTF-8: save it as CSV in UTF-8`);
  return marked?.encoding ?? 'utf-8';
}

/** Spreadsheets read the separator from this line, so a program may have written it. */
const SEPARATOR_LINE = /^"?sep=(.)"?\s*$/i;

/** Semicolons separate the fields of CSV with a decimal comma. Tabs separate the fields of Excel's text files. */
function separatorOf(text: string): string {
  const first = /\S.*/.exec(text)?.[0] ?? '';
  return SEPARATOR_LINE.exec(first)?.[1] ?? [';', '\t'].find((mark) => first.includes(mark)) ?? ',';
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Splits a line. A quote that is not closed within its field is part of the field, and does not affect other lines. */
export function fieldsOf(line: string, separator: string): string[] {
  if (!line.includes('"')) return line.split(separator).map((field) => field.trim());
  const mark = separator === '\t' ? '\\t' : `\\${separator}`;
  const field = new RegExp(`[^\\S${mark}]*"((?:[^"]|"")*)"[^\\S${mark}]*(${mark}|$)|([^${mark}]*)(${mark}|$)`, 'y');
  const fields: string[] = [];
  for (;;) {
    const [, quoted, end, bare = '', bareEnd] = field.exec(line) ?? [];
    fields.push((quoted?.replaceAll('""', '"') ?? bare).trim());
    if ((end ?? bareEnd ?? '') === '') return fields;
  }
}

/** Yields the lines of each block of a file. Accepts all line endings. */
async function* blocksOf(path: string, encoding: string): AsyncGenerator<string[]> {
  const decoder = new TextDecoder(encoding);
  let rest = '';
  for await (const bytes of createReadStream(path)) {
    const text = rest + decoder.decode(bytes as Buffer, { stream: true });
    // The second half of a CRLF may be in the next block.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|[\r\n]/);
    rest = (lines.pop() as string) + text.slice(end);
    if (rest.length > LONGEST_LINE || lines.some(({ length }) => length > LONGEST_LINE))
      throw new ImportFileError(`${path} has a line that is too long for a price export: use a CSV file`);
    yield lines;
  }
  yield (rest + decoder.decode()).split(/\r\n|[\r\n]/);
}

/** Reads CSV in constant memory, in UTF-8 or UTF-16, with commas, semicolons or tabs. Throws `ImportFileError`. */
export async function openCsvLines(path: string) {
  const failed = (error: unknown) => {
    throw unreadable(path, error);
  };
  const stats = await stat(path).catch(failed);
  if (stats.isDirectory()) throw new ImportFileError(`${path} is a directory: use a CSV file`);
  if (!stats.isFile()) throw new ImportFileError(`${path} is not a file: use a CSV file`);
  if (stats.size === 0) throw new ImportFileError(`${path} is empty: use a CSV file with rows`);
  const head = await readHead(path).catch(failed);
  const encoding = encodingOf(path, head);
  const separator = separatorOf(new TextDecoder(encoding).decode(head));
  const decimal: DecimalMark = separator === ';' ? ',' : '.';

  return {
    path,
    decimal,
    /** Returns the lines that are not empty. Each call starts a new pass. Throws `ImportFileError`. */
    async *lines(): AsyncGenerator<CsvLine> {
      let line = 0;
      let isFirst = true;
      try {
        for await (const block of blocksOf(path, encoding)) {
          for (const text of block) {
            line += 1;
            const fields = fieldsOf(text, separator);
            if (fields.every((field) => field === '')) continue;
            if (!(isFirst && SEPARATOR_LINE.test(text))) yield { line, fields };
            isFirst = false;
          }
        }
      } catch (error) {
        throw unreadable(path, error);
      }
    },
  };
}

/**
 * Opens CSV. `headerOf` can report that the first line is not a header. `row` is the first row. Throws
 * `ImportFileError`.
 */
export async function openTable<Header>(path: string, headerOf: (fields: readonly string[]) => Header | undefined) {
  const file = await openCsvLines(path);
  const firstLines: CsvLine[] = [];
  for await (const line of file.lines()) if (firstLines.push(line) === 2) break;
  const [first, second] = firstLines;
  const header = first && headerOf(first.fields);
  return {
    ...file,
    header,
    row: (header ? second : first)?.fields,

    /** Returns the lines after the header. Each call starts a new pass. Throws `ImportFileError`. */
    async *lines(): AsyncGenerator<CsvLine> {
      const headerLine = header ? first.line : 0;
      for await (const line of file.lines()) if (line.line > headerLine) yield line;
    },
  };
}
