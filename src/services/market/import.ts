import { type Clock, DAY } from '../domain/clock.ts';
import { type ExportColumn, type ExportLine, readExportRow } from '../domain/export-row.ts';
import { isSettled, startOfDate } from '../domain/grain.ts';
import { mergeDays } from '../domain/merge-days.ts';
import type { Sample } from '../domain/sample.ts';
import { type Span, union } from '../domain/span.ts';
import type { TokenName } from '../domain/token.ts';
import type { CsvExport } from '../sources/csv-export.ts';
import type { ArchivedSample } from '../stores/archive-sql.ts';
import type { ImportStore } from '../stores/imports.ts';

const BATCH_ROWS = 500;

/** A line that is not taken: its number in the file, and why. */
export type BadLine = { line: number; fault: string };
/** A settled row that differs from the file's and stays. */
export type KeptRow = { stored: Sample; given: Sample };

export type ImportOptions = {
  /** Settled rows give way to the file's. */
  replace: boolean;
  /** The first bad line ends it. */
  strict: boolean;
  /** When aborted, the rows read so far are written and nothing more is read. */
  signal: AbortSignal;
  onBad(bad: BadLine): void;
  onKept(row: KeptRow): void;
  /** After each batch, with what was done so far. */
  onBatch(counts: ImportCounts): void;
};

export type ImportCounts = Record<'read' | 'added' | 'changed' | 'skipped' | 'kept' | 'bad', number>;
/** `ended`: at the file's end, at a bad line (strict), or because it was told to stop. */
export type ImportSummary = ImportCounts & { ended: 'whole' | 'bad line' | 'interrupted' };

type CheckedRow = { line: number; sample: Sample } | (BadLine & { at: number | undefined });

/** From the earliest of some rows thru the latest; undefined when there are none. */
function extent(samples: readonly Sample[]): Span | undefined {
  if (samples.length === 0) return undefined;
  const times = samples.map(({ at }) => at);
  return { from: Math.min(...times), thru: Math.max(...times) };
}

const wholeDate = (date: number): Span => ({ from: date, thru: date + DAY - 1 });

/** The rows of a file, each looked at: by itself, and whether its date was there before. */
async function* checkedRows(
  lines: AsyncIterable<ExportLine>,
  columns: readonly ExportColumn[],
  now: number,
): AsyncGenerator<CheckedRow> {
  const lineOfDate = new Map<number, number>();
  for await (const { line, fields } of lines) {
    const row = readExportRow(fields, columns, now);
    if ('fault' in row) {
      yield { line, ...row };
      continue;
    }
    const date = startOfDate(row.sample.at);
    const first = lineOfDate.get(date);
    if (first === undefined) {
      lineOfDate.set(date, line);
      yield { line, sample: row.sample };
    } else {
      yield { line, fault: `a second row for this date: the first is on line ${first}`, at: row.sample.at };
    }
  }
}

/**
 * Of which dates a file speaks: those it has a row for, and a single one that it leaves out between two of them, since
 * the aggregator's exports do that. A longer hole is more likely a cut file. A date whose row is bad is not left out.
 * Only at the end of the file is it known what was left out, for its lines may be in any order.
 */
function createClaims() {
  const dates = new Set<number>();
  const doubtful = new Set<number>();
  let last = Number.NaN;
  return {
    row(at: number): void {
      last = startOfDate(at);
      dates.add(last);
    },
    /** Where a bad line has no time to be read, it may have been that of either neighbour of the row before it. */
    bad(at: number | undefined): void {
      for (const date of at === undefined ? [last - DAY, last + DAY] : [startOfDate(at)]) doubtful.add(date);
    },
    leftOut(): Span[] {
      const holes = [...dates]
        .filter((date) => !dates.has(date + DAY) && dates.has(date + 2 * DAY))
        .map((date) => date + DAY);
      return union(holes.filter((date) => !doubtful.has(date)).map(wholeDate));
    },
  };
}

/** Brings an export of the aggregator into the day grain of the archive. */
export function createImporting({ store, clock }: { store: ImportStore; clock: Clock }) {
  return {
    /** Reads a file to its end, or until told to stop, and stores nothing; gives how many bad lines there are. */
    async check(
      file: CsvExport,
      { signal, onBad }: Pick<ImportOptions, 'signal' | 'onBad'>,
    ): Promise<number> {
      let bad = 0;
      for await (const row of checkedRows(file.lines(), file.columns, clock.now())) {
        if (signal.aborted) break;
        if (!('fault' in row)) continue;
        bad += 1;
        onBad(row);
      }
      return bad;
    },

    /**
     * Takes over a file, a batch to a transaction: what is there is skipped, so that it can be run again, whatever
     * ended it. Throws `ExportFileError`, and what the database throws; the batches before are kept.
     */
    async take(token: TokenName, file: CsvExport, options: ImportOptions): Promise<ImportSummary> {
      const { replace, strict, signal, onBad, onKept, onBatch } = options;
      const now = clock.now();
      const counts: ImportCounts = { read: 0, added: 0, changed: 0, skipped: 0, kept: 0, bad: 0 };
      const claims = createClaims();
      let batch: Sample[] = [];

      async function write(leftOut: readonly Span[]): Promise<void> {
        const given = batch.map((sample) => ({ ...sample, settled: isSettled('day', sample.at, now) }));
        batch = [];
        const settled = given.filter((row) => row.settled).map(({ at }) => wholeDate(startOfDate(at)));
        let merged: ReturnType<typeof mergeDays<ArchivedSample>>['merged'] = [];
        const merge = (stored: readonly ArchivedSample[]) => {
          const result = mergeDays(stored, given, replace);
          merged = result.merged;
          return result;
        };
        await store.merge(token, extent(given), union([...settled, ...leftOut]), merge, clock.now());
        for (const row of merged) {
          counts[row.outcome] += 1;
          if (row.outcome === 'kept') onKept(row);
        }
        onBatch({ ...counts });
      }

      let ended: ImportSummary['ended'] = 'whole';
      for await (const row of checkedRows(file.lines(), file.columns, now)) {
        if (signal.aborted) {
          ended = 'interrupted';
          break;
        }
        counts.read += 1;
        if ('fault' in row) {
          counts.bad += 1;
          claims.bad(row.at);
          onBad(row);
          if (strict) {
            ended = 'bad line';
            break;
          }
          continue;
        }
        claims.row(row.sample.at);
        batch.push(row.sample);
        if (batch.length === BATCH_ROWS) await write([]);
      }
      await write(ended === 'whole' ? claims.leftOut() : []);
      return { ...counts, ended };
    },
  };
}
