import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from './market-sources.ts';
import type { Sample } from './sample.ts';
import type { Layout, Series, Slice } from './series.ts';

/** Samples as columns; a missing figure is NaN. */
export type PointColumns = {
  readonly at: Float64Array;
  readonly price: Float64Array;
  readonly marketCap: Float64Array;
  readonly volume: Float64Array;
  readonly settled: Uint8Array;
  /** Who told the row: a place in `MARKET_SOURCES`. */
  readonly source: Uint8Array;
};

/** A sample, and who told it. */
export type ToldSample = Sample & { source: MarketSourceName };

/** A row to put into a series; not settled, and the primary source's, where it does not say so. */
type PointRow = Sample & { settled?: boolean; source?: MarketSourceName };

export const POINTS: Layout<PointColumns, PointRow> = {
  allocate: (capacity) => ({
    at: new Float64Array(capacity),
    price: new Float64Array(capacity),
    marketCap: new Float64Array(capacity),
    volume: new Float64Array(capacity),
    settled: new Uint8Array(capacity),
    source: new Uint8Array(capacity),
  }),
  put(columns, index, row) {
    columns.at[index] = row.at;
    columns.price[index] = row.price ?? Number.NaN;
    columns.marketCap[index] = row.marketCap ?? Number.NaN;
    columns.volume[index] = row.volume ?? Number.NaN;
    columns.settled[index] = row.settled ? 1 : 0;
    columns.source[index] = MARKET_SOURCES.indexOf(row.source ?? PRIMARY_SOURCE);
  },
};

export type PointSeries = Series<PointColumns, PointRow>;
type PointSlice = Slice<PointColumns>;

function sampleAt(columns: PointColumns, index: number): ToldSample {
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
export function* samplesOf({ columns, start, end }: PointSlice): Generator<ToldSample> {
  for (let i = start; i < end; i++) yield sampleAt(columns, i);
}

export const firstSample = ({ columns, start, end }: PointSlice): ToldSample | undefined =>
  start === end ? undefined : sampleAt(columns, start);

export const lastSample = ({ columns, start, end }: PointSlice): ToldSample | undefined =>
  start === end ? undefined : sampleAt(columns, end - 1);
