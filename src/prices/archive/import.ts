import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, type Span, startOfDate, union } from '#core/clock';
import type { ArchivedSample } from '#prices/archive/archive-sql-store';
import type { BadLine, CsvLine } from '#prices/archive/import-row';
import { type ImportColumn, readImportRow } from '#prices/archive/import-row';
import type { CoveredBySource, ImportStore } from '#prices/archive/import-store';
import { dayReady, isMidnightSample, isSettled } from '#prices/model/interval';
import { type MarketSourceName, preferredTo } from '#prices/model/market-sources';
import type { Sample, ToldSample } from '#prices/model/sample';
import type { ImportFile } from './price-import.ts';
import { mergeDays } from './price-import.ts';

const BATCH_ROWS = 500;

/** A settled row that stays, although the file's differs. */
export type KeptRow = { stored: ToldSample; given: ToldSample };

type ImportOptions = {
  /** The file's rows replace settled ones. */
  replace: boolean;
  /** The first bad line ends it. */
  strict: boolean;
  /** When aborted, the rows read so far are written (but those that come last) and nothing more is read. */
  signal: AbortSignal;
  onBad(bad: BadLine): void;
  onKept(row: KeptRow): void;
  /** After each batch, with what was done so far. */
  onBatch(counts: ImportCounts): void;
};

export type ImportCounts = Record<'read' | 'added' | 'changed' | 'skipped' | 'kept' | 'bad', number>;
/** `ended`: at the file's end, at a bad line (strict), or by the signal. */
export type ImportSummary = ImportCounts & { ended: 'whole' | 'bad line' | 'interrupted' };

/** `gaveWay`: its date has a better row in the file. `dates`: those that the bad line may be of, in Unix ms. */
type CheckedRow = { sample: ToldSample } | { gaveWay: true } | (BadLine & { dates: readonly number[] });

/** From the earliest of some rows through the latest; undefined when there are none. */
function extent(samples: readonly Sample[]): Span | undefined {
  if (samples.length === 0) return undefined;
  const times = samples.map(({ at }) => at);
  return { from: Math.min(...times), thru: Math.max(...times) };
}

const wholeDate = (date: number): Span => ({ from: date, thru: date + DAY - 1 });

/** A date (Unix ms of its midnight) about which a source has told all. */
type CoveredDate = { date: number; source: MarketSourceName };

/** Dates as spans, for each source. */
const spansOf = (dates: readonly CoveredDate[]): CoveredBySource[] =>
  [...Map.groupBy(dates, ({ source }) => source)].map(([source, mine]) => ({
    source,
    spans: union(mine.map(({ date }) => wholeDate(date))),
  }));

/**
 * The rows of a file, each checked by itself and for a second row of its date. A row of another time than midnight is its
 * date's where the file has none of midnight, so it comes at the end, the earliest of its date.
 */
async function* checkedRows(
  lines: AsyncIterable<CsvLine>,
  columns: readonly ImportColumn[],
  now: number,
): AsyncGenerator<CheckedRow> {
  const lineOfDate = new Map<number, number>();
  const late = new Map<number, ToldSample>();
  let last = Number.NaN;
  for await (const { line, fields } of lines) {
    const row = readImportRow(fields, columns, now);
    if ('fault' in row) {
      // Without a readable time it may be of either neighbour of the row before it.
      const dates = row.at === undefined ? [last - DAY, last + DAY] : [startOfDate(row.at)];
      yield { line, fault: row.fault, dates };
      continue;
    }
    const { sample } = row;
    const date = startOfDate(sample.at);
    last = date;
    const first = lineOfDate.get(date);
    const other = late.get(date);
    if (!isMidnightSample(sample.at)) {
      if (other) yield { gaveWay: true };
      if (!other || sample.at < other.at) late.set(date, sample);
    } else if (first === undefined) {
      lineOfDate.set(date, line);
      yield { sample };
    } else {
      const fault = `a second row for this date: the first is on line ${first}`;
      yield { line, fault, dates: [date] };
    }
  }
  for (const [date, sample] of late) yield lineOfDate.has(date) ? { gaveWay: true } : { sample };
}

/**
 * The dates that a file covers: those with a row, and a single date missing between two of them, since the
 * aggregator's exports skip dates; where both rows are of one source. A longer hole is more likely a cut file. A date whose
 * row is bad is not covered.
 * What was skipped is known only at the end of the file, for its lines may be in any order.
 */
function createCoveredDates() {
  const dates = new Map<number, MarketSourceName>();
  const doubtful = new Set<number>();
  return {
    row: ({ at, source }: ToldSample): void => void dates.set(startOfDate(at), source),
    bad(some: readonly number[]): void {
      for (const date of some) doubtful.add(date);
    },
    skipped(): CoveredDate[] {
      return [...dates]
        .filter(([date, source]) => !dates.has(date + DAY) && dates.get(date + 2 * DAY) === source)
        .map(([date, source]) => ({ date: date + DAY, source }))
        .filter(({ date }) => !doubtful.has(date));
    },
  };
}

type Dependencies = { store: ImportStore; clock: Clock };

/** Imports an export into the daily series of the archive: the aggregator's, or one that the service gave. */
export function createImport({ store, clock }: Dependencies) {
  return {
    /** Reads a file to its end, or until the signal, and stores nothing; gives the number of bad lines. */
    async check(file: ImportFile, { signal, onBad }: Pick<ImportOptions, 'signal' | 'onBad'>): Promise<number> {
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
     * Imports a file, one transaction for each batch. Rows already stored are skipped, and those that gave way to another
     * of their date, so that an interrupted import can be run again. Throws `ImportFileError`, and what the database
     * throws; earlier batches are kept.
     */
    async run(token: TokenName, file: ImportFile, options: ImportOptions): Promise<ImportSummary> {
      const { replace, strict, signal, onBad, onKept, onBatch } = options;
      const now = clock.now();
      const counts: ImportCounts = { read: 0, added: 0, changed: 0, skipped: 0, kept: 0, bad: 0 };
      const covered = createCoveredDates();
      let batch: ToldSample[] = [];

      async function write(skipped: readonly CoveredDate[]): Promise<void> {
        // Once the next date is ready, no row of midnight is to be expected of a date any more.
        const final = batch.filter(({ at }) => isSettled('day', at, now) || now >= dayReady(at + DAY));
        const known = final.map(({ at, source }) => ({ date: startOfDate(at), source }));
        const given = batch.map((sample) => {
          const isProvisional = preferredTo(sample.source).length > 0;
          return { ...sample, settled: !isProvisional && isSettled('day', sample.at, now) };
        });
        batch = [];
        let merged: ReturnType<typeof mergeDays<ArchivedSample>>['merged'] = [];
        const merge = (stored: readonly ArchivedSample[]) => {
          const result = mergeDays(stored, given, replace);
          merged = result.merged;
          return result;
        };
        await store.merge(token, extent(given), spansOf([...known, ...skipped]), merge, clock.now());
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
          covered.bad(row.dates);
          onBad(row);
          if (strict) {
            ended = 'bad line';
            break;
          }
          continue;
        }
        if ('gaveWay' in row) {
          counts.skipped += 1;
          continue;
        }
        covered.row(row.sample);
        batch.push(row.sample);
        if (batch.length === BATCH_ROWS) await write([]);
      }
      await write(ended === 'whole' ? covered.skipped() : []);
      return { ...counts, ended };
    },
  };
}
