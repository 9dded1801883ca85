import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from './market-sources.ts';
import type { Sample } from './sample.ts';
import { type ColumnsOf, layoutOf, type Series, type Slice } from './series.ts';

/** A sample, and who told it. */
export type ToldSample = Sample & { source: MarketSourceName };

/** A row to put into a series; not settled, and the primary source's, where it does not say so. */
type PointRow = Sample & { settled?: boolean; source?: MarketSourceName };

/** `source`: the place of a row's source in `MARKET_SOURCES`. */
export const POINTS = layoutOf(['price', 'marketCap', 'volume'], {
  source: ({ source }: PointRow) => MARKET_SOURCES.indexOf(source ?? PRIMARY_SOURCE),
});

/** Samples as columns. */
export type PointColumns = ColumnsOf<'price' | 'marketCap' | 'volume', 'source'>;
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
