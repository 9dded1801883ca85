import { startOfDate } from '#core/clock';
import {
  type CsvLine,
  IMPORT_COLUMNS,
  type ImportColumn,
  ImportFileError,
  openCsvLines,
} from '#prices/archive/import-row';
import { isMidnightSample } from '#prices/model/interval';
import { type MarketSourceName, preferredTo } from '#prices/model/market-sources';
import type { Sample } from '#prices/model/sample';

const SERVICE_NAMES: Readonly<Record<string, ImportColumn>> = { date: 'snapped_at' };

/** Reads the header, so that a wrong file is rejected immediately. Throws `ImportFileError`. */
export async function openImportFile(path: string) {
  const { lines: records } = await openCsvLines(path);

  async function readHeader(): Promise<ImportColumn[]> {
    for await (const { fields } of records()) {
      // The service's CSV has a source column if its rows have several sources.
      const names = fields.map((field) => field.toLowerCase()).map((name) => SERVICE_NAMES[name] ?? name);
      const wanted = IMPORT_COLUMNS.join(',');
      const figures = names.filter((name) => name !== 'source');
      const isWhole = IMPORT_COLUMNS.every((column) => names.includes(column));
      if (isWhole && figures.length === IMPORT_COLUMNS.length && names.length - figures.length <= 1)
        return names as ImportColumn[];
      const isHeader = IMPORT_COLUMNS.some((column) => names.includes(column));
      throw new ImportFileError(
        isHeader
          ? `${path} has the wrong columns: the columns must be ${wanted}`
          : `${path} has no header: the first line must be ${wanted}`,
      );
    }
    throw new ImportFileError(`${path} is empty: use a CSV file with rows`);
  }

  const columns = await readHeader();

  return {
    columns: columns as readonly ImportColumn[],

    /** Returns the lines after the header. Each call starts a new pass. Throws `ImportFileError`. */
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
type Day = Sample & { settled: boolean; source: MarketSourceName };

type MergedDay<Row extends Day> =
  | { outcome: 'added' | 'changed' | 'skipped'; given: Row }
  | { outcome: 'kept'; given: Row; stored: Row };

const isSame = (a: Day, b: Day) =>
  a.at === b.at && a.price === b.price && a.marketCap === b.marketCap && a.volume === b.volume && a.source === b.source;

/**
 * Merges rows, one per date, into the stored rows. An equal row is skipped (and settled if due). An unsettled stored
 * row is replaced. A settled stored row that differs is kept, unless `replace` is set. A stored row of a preferred
 * source is always kept. A stored midnight row is kept if the new row of the same source is not at midnight.
 * @param stored ascending
 * @returns the outcome of each row, the times (Unix ms) of stored rows to delete (`gone`), and the rows to write
 * (`samples`)
 */
export function mergeDays<Row extends Day>(
  stored: readonly Row[],
  given: readonly Row[],
  replace: boolean,
): { merged: MergedDay<Row>[]; gone: number[]; samples: Row[] } {
  const storedOf = Map.groupBy(stored, ({ at }) => startOfDate(at));
  const outranks = (mine: Row, row: Row) => {
    const isLate = isMidnightSample(mine.at) && !isMidnightSample(row.at);
    return preferredTo(row.source).includes(mine.source) || (mine.source === row.source && isLate);
  };
  const gone: number[] = [];
  const samples: Row[] = [];
  const merged = given.map((row): MergedDay<Row> => {
    const rows = storedOf.get(startOfDate(row.at)) ?? [];
    const mine = rows.find(({ settled }) => settled) ?? rows[0];
    if (mine && isSame(mine, row)) {
      if (row.settled && !mine.settled) samples.push(row);
      return { outcome: 'skipped', given: row };
    }
    if (mine && (outranks(mine, row) || (mine.settled && !replace)))
      return { outcome: 'kept', given: row, stored: mine };
    gone.push(...rows.map(({ at }) => at).filter((at) => at !== row.at));
    samples.push(row);
    return { outcome: mine ? 'changed' : 'added', given: row };
  });
  return { merged, gone, samples };
}
