import { FIRST_SOURCE, MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';
import type { Sample } from './sample.ts';

/** A series as columns, ascending in `at` (Unix ms); a missing figure is NaN. */
export type Columns = {
  readonly at: Float64Array;
  readonly price: Float64Array;
  readonly marketCap: Float64Array;
  readonly volume: Float64Array;
  /** 1 for a row that will never change. */
  readonly settled: Uint8Array;
  /** Who told the row: a place in `MARKET_SOURCES`. */
  readonly source: Uint8Array;
};

/** A sample, and who told it. */
export type ToldSample = Sample & { source: MarketSourceName };

/** How many samples are written as text in one go: a fraction of a millisecond's work. */
export const PIECE_SAMPLES = 250;

/** A row to put into a series; not settled, and the first source's, where it does not say so. */
type Row = Sample & { settled?: boolean; source?: MarketSourceName };

/** Rows `start` (inclusive) to `end` (exclusive) of a series. */
export type Slice = { readonly columns: Columns; readonly start: number; readonly end: number };

const COLUMN_NAMES = ['at', 'price', 'marketCap', 'volume', 'settled', 'source'] as const;

function allocate(capacity: number): Columns {
  return {
    at: new Float64Array(capacity),
    price: new Float64Array(capacity),
    marketCap: new Float64Array(capacity),
    volume: new Float64Array(capacity),
    settled: new Uint8Array(capacity),
    source: new Uint8Array(capacity),
  };
}

function put(columns: Columns, index: number, row: Row): void {
  columns.at[index] = row.at;
  columns.price[index] = row.price ?? Number.NaN;
  columns.marketCap[index] = row.marketCap ?? Number.NaN;
  columns.volume[index] = row.volume ?? Number.NaN;
  columns.settled[index] = row.settled ? 1 : 0;
  columns.source[index] = MARKET_SOURCES.indexOf(row.source ?? FIRST_SOURCE);
}

/**
 * A series that grows at its end. `replaceFrom` is the one way to change it: the rows from an instant on give way
 * to others, and `version` rises, so that whatever was made from the old rows can be told from the new.
 */
export function createSeries(samples: readonly Row[] = []) {
  let columns = allocate(samples.length);
  let length = 0;
  let version = 0;

  /** The index of the first row at or after an instant. */
  function indexOf(instant: number): number {
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((columns.at[middle] as number) < instant) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function reserve(capacity: number): void {
    if (capacity <= columns.at.length) return;
    const larger = allocate(Math.max(capacity, Math.ceil(columns.at.length * 1.5)));
    for (const name of COLUMN_NAMES) larger[name].set(columns[name].subarray(0, length));
    columns = larger;
  }

  /** @param rows ascending, none before `instant` */
  function replaceFrom(instant: number, rows: readonly Row[]): void {
    const keep = indexOf(instant);
    reserve(keep + rows.length);
    rows.forEach((row, i) => {
      put(columns, keep + i, row);
    });
    length = keep + rows.length;
    version += 1;
  }

  /** The rows from one instant through another, both included: two binary searches, no copy. */
  function slice(from: number, thru: number): Slice {
    const start = indexOf(from);
    return { columns, start, end: Math.max(start, indexOf(thru + 1)) };
  }

  /** The newest row. */
  function last(): ToldSample | undefined {
    return length === 0 ? undefined : sampleAt({ columns, start: 0, end: length }, length - 1);
  }

  /** The first row at or after an instant. */
  function firstFrom(instant: number): ToldSample | undefined {
    const index = indexOf(instant);
    return index === length ? undefined : sampleAt({ columns, start: index, end: length }, index);
  }

  replaceFrom(Number.NEGATIVE_INFINITY, samples);
  return {
    replaceFrom,
    slice,
    firstFrom,
    last,
    get length() {
      return length;
    },
    get version() {
      return version;
    },
    /** What the columns take of memory. */
    get bytes() {
      return COLUMN_NAMES.reduce((sum, name) => sum + columns[name].byteLength, 0);
    },
  };
}

export type Series = ReturnType<typeof createSeries>;

/** One row of a slice as a sample. */
export function sampleAt({ columns }: Slice, index: number): ToldSample {
  const figure = (column: Float64Array) => {
    const value = column[index] as number;
    return Number.isNaN(value) ? null : value;
  };
  return {
    at: columns.at[index] as number,
    price: figure(columns.price),
    marketCap: figure(columns.marketCap),
    volume: figure(columns.volume),
    source: MARKET_SOURCES[columns.source[index] as number] as MarketSourceName,
  };
}

/** The rows of a slice, one by one. */
export function* samplesOf(slice: Slice): Generator<ToldSample> {
  for (let i = slice.start; i < slice.end; i++) yield sampleAt(slice, i);
}

/** Whether no row of a slice will ever change. */
export function isSettledSlice({ columns, start, end }: Slice): boolean {
  return !columns.settled.subarray(start, end).includes(0);
}

/** Samples as columns of their own; those of a slice first, as they are now, whatever becomes of the series. */
export function columnsOf(samples: readonly Row[], slice?: Slice): Columns {
  const first = slice ? slice.end - slice.start : 0;
  const columns = allocate(first + samples.length);
  if (slice)
    for (const name of COLUMN_NAMES) columns[name].set(slice.columns[name].subarray(slice.start, slice.end));
  samples.forEach((sample, i) => {
    put(columns, first + i, sample);
  });
  return columns;
}
