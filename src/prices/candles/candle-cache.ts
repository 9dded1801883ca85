import type { TokenName } from '#catalogue/token';
import { type Clock, union } from '#core/clock';
import { createSeriesCache } from '#prices/archive/series-cache';
import type { RowsFrom } from '#prices/archive/series-store';
import type { WorkingSet } from '#prices/archive/working-set';
import { CANDLES, candleLength } from '#prices/model/candle';
import { INTERVALS, type Interval } from '#prices/model/interval';
import { type ResourceOf, readResource } from '#upstream/resource';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { CandleSeries, CandleStore } from './candle-store.ts';

/** A fetch returns fewer candles than this, so it changes no older candles. */
const FETCHED = 725;

/** The names of fetches and of other changes to candles, here and in the store. */
export type CandleFetch = ResourceOf<'candles' | 'candles-import' | 'candles-purge'>;
export const candleFetch = ({ token, interval }: CandleSeries): CandleFetch => `candles:${token}:${interval}`;
export const candleImport = ({ token, interval }: CandleSeries): CandleFetch => `candles-import:${token}:${interval}`;

export const candleFetchesOf = (token: TokenName): CandleFetch[] =>
  INTERVALS.map((interval) => candleFetch({ token, interval }));

export const candleGroup = (token: TokenName, interval: Interval) => `${token}:${interval}` as const;

function touched(what: CandleFetch, since: number): RowsFrom[] {
  const { kind, token, interval } = readResource(what) as { kind: string } & CandleSeries;
  return [{ token, interval, from: kind === 'candles' ? since - FETCHED * candleLength(interval) : 0 }];
}

type Dependencies = {
  store: CandleStore;
  versions: Pick<VersionWatcher, 'watch'>;
  clock: Clock;
  workingSet: WorkingSet;
};

export const createCandleCache = (dependencies: Dependencies) =>
  createSeriesCache({
    ...dependencies,
    layout: CANDLES,
    groupOf: candleGroup,
    namesOf: (group): CandleFetch[] =>
      (['candles', 'candles-import', 'candles-purge'] as const).map((kind) => `${kind}:${group}` as CandleFetch),
    touched,
    complete: (coverage) => union(coverage.map(({ span }) => span)),
  });

export type CandleCache = ReturnType<typeof createCandleCache>;
