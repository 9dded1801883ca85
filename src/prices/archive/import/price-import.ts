import { type CsvLine, ImportFileError, openCsvLines } from './csv-file.ts';
import { IMPORT_COLUMNS, type ImportColumn } from './import-row.ts';

/** The names of the service's own CSV that the aggregator's export has another name for. */
const SERVICE_NAMES: Readonly<Record<string, ImportColumn>> = { date: 'snapped_at' };

/**
 * The aggregator's CSV export of a coin, or the service's own CSV, to be read as often as need be, in constant memory. The
 * header is read here, so that a wrong file is told at once.
 *
 * @throws ImportFileError when it is not there, not a file, empty, or has another header
 */
export async function openImportFile(path: string) {
  const { lines: records } = await openCsvLines(path);

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
          ? `${path} has other columns: its columns must be ${wanted}`
          : `${path} has no header: its first line must be ${wanted}`,
      );
    }
    throw new ImportFileError(`${path} is empty: give a file with rows`);
  }

  const columns = await readHeader();

  return {
    /** What each field of a line is. */
    columns: columns as readonly ImportColumn[],

    /** The lines after the header, one pass for each call. Throws `ImportFileError`. */
    async *lines(): AsyncGenerator<CsvLine> {
      let isHeader = true;
      for await (const line of records()) {
        if (!isHeader) yield line;
        isHeader = false;
      }
    },
  };
}

export type ImportFile = Awaited<ReturnType<typeof openImportFile>>;
