import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from './market-sources.ts';
import type { Sample, SourcedSample } from './sample.ts';

/** Rows as columns, ascending by `at` (Unix ms). `final` is 1 for a row that never changes. */
export type Columns = { readonly at: Float64Array; readonly final: Uint8Array };

/** Columns of figures, and columns of marks from 0 through 255. */
export type ColumnsOf<Figure extends string, Mark extends string = never> = Columns & {
  readonly [Name in Figure]: Float64Array;
} & { readonly [Name in Mark]: Uint8Array };

export type Layout<C extends Columns, Row> = {
  allocate(capacity: number): C;
  put(columns: C, first: number, rows: readonly Row[]): void;
};

type AnyRow<Figure extends string> = { at: number; final?: boolean } & Readonly<Record<Figure, number | null>>;

/** The layout of rows with figures (NaN if missing) and marks, which are numbers from 0 through 255. */
export function layoutOf<Row extends AnyRow<Figure>, Figure extends string, Mark extends string = never>(
  figures: readonly Figure[],
  marks: Readonly<Record<Mark, (row: Row) => number>>,
): Layout<ColumnsOf<Figure, Mark>, Row> {
  const numbers = ['at', ...figures] as const;
  const small = Object.entries({ final: (row: Row) => (row.final ? 1 : 0), ...marks }) as [
    Mark,
    (row: Row) => number,
  ][];
  return {
    allocate: (capacity) =>
      Object.fromEntries([
        ...numbers.map((name) => [name, new Float64Array(capacity)]),
        ...small.map(([name]) => [name, new Uint8Array(capacity)]),
      ]),
    put(columns, first, rows) {
      for (const name of numbers) {
        const column: Float64Array = columns[name];
        for (let i = 0; i < rows.length; i++) column[first + i] = (rows[i] as Row)[name] ?? Number.NaN;
      }
      for (const [name, markOf] of small) {
        const column: Uint8Array = columns[name];
        for (let i = 0; i < rows.length; i++) column[first + i] = markOf(rows[i] as Row);
      }
    },
  };
}

/** Rows `start` (inclusive) to `end` (exclusive) of a series. They may be replaced during any await. */
type Slice<C extends Columns> = { readonly columns: C; readonly start: number; readonly end: number };

/** The position of the first of ascending instants that is at or after `instant`. */
export function placeOf(instants: ArrayLike<number>, instant: number, length = instants.length): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((instants[middle] as number) < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

const arraysOf = (columns: Columns) => Object.entries(columns) as [keyof Columns, Float64Array | Uint8Array][];

function copyRows<C extends Columns>({ columns, start, end }: Slice<C>, target: C): void {
  for (const [name, column] of arraysOf(columns)) target[name].set(column.subarray(start, end));
}

/** Versions are unique across series, so that a reloaded series has a new version. */
let versions = 0;

/** Each `replaceFrom` increases `version`, so that results from old rows can be recognized. */
export function createSeries<C extends Columns, Row>(layout: Layout<C, Row>, rows: readonly Row[] = []) {
  let columns = layout.allocate(rows.length);
  let length = 0;
  let version = 0;

  function reserve(capacity: number): void {
    if (capacity <= columns.at.length) return;
    const larger = layout.allocate(Math.max(capacity, Math.ceil(columns.at.length * 1.5)));
    copyRows({ columns, start: 0, end: length }, larger);
    columns = larger;
  }

  /** @param rows in ascending order, with no row before `instant` */
  function replaceFrom(instant: number, rows: readonly Row[]): void {
    const keep = placeOf(columns.at, instant, length);
    reserve(keep + rows.length);
    layout.put(columns, keep, rows);
    length = keep + rows.length;
    versions += 1;
    version = versions;
  }

  replaceFrom(Number.NEGATIVE_INFINITY, rows);
  return {
    replaceFrom,

    dropBefore(instant: number): void {
      const gone = placeOf(columns.at, instant, length);
      if (gone === 0) return;
      for (const [, column] of arraysOf(columns)) column.copyWithin(0, gone, length);
      length -= gone;
    },

    /** The rows from one instant through another, inclusive. Makes two binary searches and no copy. */
    slice(from: number, thru: number): Slice<C> {
      const start = placeOf(columns.at, from, length);
      return { columns, start, end: Math.max(start, placeOf(columns.at, thru + 1, length)) };
    },

    all: (): Slice<C> => ({ columns, start: 0, end: length }),

    version: () => version,
    bytes: () => arraysOf(columns).reduce((sum, [, column]) => sum + column.byteLength, 0),
  };
}

export type Series<C extends Columns, Row> = ReturnType<typeof createSeries<C, Row>>;
export const wholeOf = <C extends Columns>(columns: C): Slice<C> => ({ columns, start: 0, end: columns.at.length });

export function firstUnsettled({ columns: { at, final }, start, end }: Slice<Columns>): number | undefined {
  const place = final.subarray(start, end).indexOf(0);
  return place < 0 ? undefined : at[start + place];
}

export function columnsOf<C extends Columns, Row>(
  { allocate, put }: Layout<C, Row>,
  rows: readonly Row[],
  slice?: Slice<C>,
): C {
  const first = slice ? slice.end - slice.start : 0;
  const columns = allocate(first + rows.length);
  if (slice) copyRows(slice, columns);
  put(columns, first, rows);
  return columns;
}

/** By default, a row is not final and is from the primary source. */
type PointRow = Sample & { final?: boolean; source?: MarketSourceName };

/** `source` is the position of a row's source in `MARKET_SOURCES`. */
export const POINTS = layoutOf(['price', 'marketCap', 'volume'], {
  source: ({ source }: PointRow) => MARKET_SOURCES.indexOf(source ?? PRIMARY_SOURCE),
});

export type PointColumns = ColumnsOf<'price' | 'marketCap' | 'volume', 'source'>;
export type PointSeries = Series<PointColumns, PointRow>;
type PointSlice = Slice<PointColumns>;

function sampleAt(columns: PointColumns, index: number): SourcedSample {
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

export function* samplesOf({ columns, start, end }: PointSlice): Generator<SourcedSample> {
  for (let i = start; i < end; i++) yield sampleAt(columns, i);
}

export const firstSample = ({ columns, start, end }: PointSlice): SourcedSample | undefined =>
  start === end ? undefined : sampleAt(columns, start);

export const lastSample = ({ columns, start, end }: PointSlice): SourcedSample | undefined =>
  start === end ? undefined : sampleAt(columns, end - 1);
