import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, type Span, startOfDate, union } from '#core/clock';
import type { UsdRate } from '#prices/model/currency';
import { dayReady, isMidnightSample, isSettled } from '#prices/model/interval';
import { type MarketSourceName, sourcesPreferredOver } from '#prices/model/market-sources';
import type { Sample, SourcedSample } from '#prices/model/sample';
import type { CoveredBySource, PointStore } from '#prices/series/point-store';
import type { ArchivedSample } from '#prices/series/sql-store';
import type { BadLine } from './csv-file.ts';
import { mergeDays } from './merge-days.ts';
import { type ImportLines, readImportRow } from './price-file.ts';
import { createDailyPrices } from './units.ts';

const BATCH_ROWS = 500;

export type KeptRow = { stored: SourcedSample; given: SourcedSample };

type ImportOptions = {
  /** The value of one unit of the file's currency in US dollars. Undefined for a file in US dollars. */
  usdRate?: UsdRate | undefined;
  replace: boolean;
  strict: boolean;
  /** After an abort, the import reads no more rows. It writes the rows that it has read, except the deferred rows. */
  signal: AbortSignal;
  onBad(bad: BadLine): void;
  onKept(row: KeptRow): void;
  onBatch(counts: ImportCounts): void;
};

export type ImportCounts = Record<'read' | 'added' | 'changed' | 'skipped' | 'kept' | 'bad', number>;
export type ImportSummary = ImportCounts & { ended: 'whole' | 'bad line' | 'interrupted' };

/** `isOutranked`: the date has a better row. `dates` are the possible dates of a bad line, in Unix ms. */
type CheckedRow = { sample: SourcedSample } | { isOutranked: true } | (BadLine & { dates: readonly number[] });

function extent(samples: readonly Sample[]): Span | undefined {
  if (samples.length === 0) return undefined;
  const times = samples.map(({ at }) => at);
  return { from: Math.min(...times), thru: Math.max(...times) };
}

const wholeDate = (date: number): Span => ({ from: date, thru: date + DAY - 1 });

type CoveredDate = { date: number; source: MarketSourceName };

const spansOf = (dates: readonly CoveredDate[]): CoveredBySource[] =>
  [...Map.groupBy(dates, ({ source }) => source)].map(([source, ofSource]) => ({
    source,
    spans: union(ofSource.map(({ date }) => wholeDate(date))),
  }));

/**
 * Chooses one row for each date: the first row within an hour after midnight or, if there is none, the first row at
 * another time. The rows of a date usually follow each other, so the choice is made when the next date begins.
 */
async function* checkedRows(file: ImportLines, now: number): AsyncGenerator<CheckedRow> {
  const lineOfDate = new Map<number, number>();
  const late = new Map<number, SourcedSample>();
  let chosen: { date: number; sample: SourcedSample; isYielded: boolean } | undefined;
  function* yieldChosen(): Generator<CheckedRow> {
    if (!chosen || chosen.isYielded) return;
    chosen.isYielded = true;
    yield { sample: chosen.sample };
  }

  let last = Number.NaN;
  for await (const { line, fields } of file.lines()) {
    const row = readImportRow(fields, file.columns, now, file.decimal);
    if ('fault' in row) {
      yield* yieldChosen();
      // If the time is not readable, the line may belong to the date before or after the row above it.
      const dates = row.at === undefined ? [last - DAY, last + DAY] : [startOfDate(row.at)];
      yield { line, fault: row.fault, dates };
      continue;
    }
    const { sample } = row;
    const date = startOfDate(sample.at);
    last = date;
    if (chosen?.date !== date) {
      yield* yieldChosen();
      chosen = undefined;
    }
    const first = lineOfDate.get(date);
    const other = late.get(date);
    if (!isMidnightSample(sample.at)) {
      if (other) yield { isOutranked: true };
      if (!other || sample.at < other.at) late.set(date, sample);
    } else if (first === undefined) {
      lineOfDate.set(date, line);
      chosen = { date, sample, isYielded: false };
    } else if (chosen && (sample.at > chosen.sample.at || (sample.at < chosen.sample.at && !chosen.isYielded))) {
      yield { isOutranked: true };
      if (sample.at < chosen.sample.at) chosen.sample = sample;
    } else {
      const fault = `has the same date as line ${first}`;
      yield { line, fault, dates: [date] };
    }
  }
  yield* yieldChosen();
  for (const [date, sample] of late) yield lineOfDate.has(date) ? { isOutranked: true } : { sample };
}

/** The covered dates. CoinGecko's exports skip single dates, but a longer gap suggests a truncated file. */
function createCoveredDates() {
  const dates = new Map<number, MarketSourceName>();
  const doubtful = new Set<number>();
  return {
    row: ({ at, source }: SourcedSample): void => void dates.set(startOfDate(at), source),
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

function inDollars(sample: SourcedSample, usdRate: number): SourcedSample {
  const times = <Figure extends number | null>(figure: Figure) =>
    (figure === null ? figure : figure * usdRate) as Figure;
  return { ...sample, price: times(sample.price), marketCap: times(sample.marketCap), volume: times(sample.volume) };
}

type Dependencies = { store: Pick<PointStore, 'merge'>; clock: Clock };

/** Imports CoinGecko's or the service's own export into the archive's daily series. */
export function createImport({ store, clock }: Dependencies) {
  return {
    /** Reads the file, or until the signal. Returns the number of bad lines, and the prices. Stores nothing. */
    async check(file: ImportLines, { signal, onBad }: Pick<ImportOptions, 'signal' | 'onBad'>) {
      const daily = createDailyPrices();
      let bad = 0;
      for await (const row of checkedRows(file, clock.now())) {
        if (signal.aborted) break;
        if ('sample' in row) daily.add(row.sample.at, row.sample.price);
        if (!('fault' in row)) continue;
        bad += 1;
        onBad(row);
      }
      return { bad, daily };
    },

    /** Imports in repeatable batches. An interrupted import keeps completed batches. Throws `ImportFileError`. */
    async run(token: TokenName, file: ImportLines, options: ImportOptions): Promise<ImportSummary> {
      const { replace, strict, signal, onBad, onKept, onBatch, usdRate } = options;
      const now = clock.now();
      const counts: ImportCounts = { read: 0, added: 0, changed: 0, skipped: 0, kept: 0, bad: 0 };
      const covered = createCoveredDates();
      let batch: SourcedSample[] = [];

      async function write(skipped: readonly CoveredDate[]): Promise<void> {
        // Once the next date's row is ready, no midnight row can appear for this date.
        const final = batch.filter(({ at }) => isSettled('day', at, now) || now >= dayReady(at + DAY));
        const written = final.map(({ at, source }) => ({ date: startOfDate(at), source }));
        const rows = batch.map((sample) => {
          const isProvisional = sourcesPreferredOver(sample.source).length > 0;
          return { ...sample, final: !isProvisional && isSettled('day', sample.at, now) };
        });
        batch = [];
        const merge = (stored: readonly ArchivedSample[]) => mergeDays(stored, rows, replace);
        const coveredSpans = spansOf([...written, ...skipped]);
        const merged = (await store.merge(token, extent(rows), coveredSpans, merge, clock.now()))?.merged ?? [];
        for (const row of merged) {
          counts[row.outcome] += 1;
          if (row.outcome === 'kept') onKept(row);
        }
        onBatch({ ...counts });
      }

      let ended: ImportSummary['ended'] = 'whole';
      for await (const row of checkedRows(file, now)) {
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
        if ('isOutranked' in row) {
          counts.skipped += 1;
          continue;
        }
        covered.row(row.sample);
        batch.push(usdRate ? inDollars(row.sample, usdRate(row.sample.at)) : row.sample);
        if (batch.length === BATCH_ROWS) await write([]);
      }
      await write(ended === 'whole' ? covered.skipped() : []);
      return { ...counts, ended };
    },
  };
}
