import type { TokenName } from '#catalogue/token';
import { startOfDate } from '#core/clock';
import { isMidnightSample, slotOf } from './interval.ts';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from './market-sources.ts';
import { type LatestPrice, latestPrice } from './records.ts';
import { type ColumnsOf, layoutOf, type Series, type Slice } from './series.ts';

/** `at` is in Unix ms. Figures are in USD, or null if the source does not provide them. */
export type Sample = { at: number; price: number | null; marketCap: number | null; volume: number | null };

/** The latest price of a token (USD) and the time of its sample (Unix ms). */
export type Quote = {
  token: TokenName;
  price: number;
  at: number;
  /** All figures of a latest-price record, as far as the source provides them. */
  record?: LatestPrice;
};

export const NO_FIGURES = Object.fromEntries(Object.keys(latestPrice.shape).map((name) => [name, null])) as {
  [Member in keyof typeof latestPrice.shape]: null;
};

/**
 * Finds the row of each date, and a last sample that is not at midnight. A date's row is its first sample. If that
 * sample is not of midnight, the date must be over. `samples` must be ascending.
 */
export function splitDaily(samples: readonly Sample[]): { days: Sample[]; trailing: Sample | undefined } {
  const last = samples.at(-1);
  const trailing = last && last.at !== startOfDate(last.at) ? last : undefined;
  const rows = trailing ? samples.slice(0, -1) : samples;
  const isOver = (at: number) => last !== undefined && startOfDate(at) < startOfDate(last.at);
  const days = firstOfEach('day', rows).filter(({ at }) => isMidnightSample(at) || isOver(at));
  return { days, trailing };
}

export function firstOfEach(interval: 'hour' | 'day', samples: readonly Sample[]): Sample[] {
  let slot = Number.NaN;
  return samples.filter(({ at }) => {
    const mine = slotOf(interval, at);
    const first = mine !== slot;
    slot = mine;
    return first;
  });
}

export type SourcedSample = Sample & { source: MarketSourceName };

/** By default, a row is unsettled and from the primary source. */
type PointRow = Sample & { settled?: boolean; source?: MarketSourceName };

/** `source`: the position of a row's source in `MARKET_SOURCES`. */
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
