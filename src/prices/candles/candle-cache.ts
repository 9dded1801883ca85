import type { TokenName } from '#catalogue/token';
import { type Clock, union } from '#core/clock';
import { CANDLES, candleLength } from '#prices/model/candle';
import { INTERVALS, type Interval } from '#prices/model/interval';
import { missingCandles } from '#prices/model/missing-samples';
import { createSeriesCache } from '#prices/series/series-cache';
import type { RowsFrom } from '#prices/series/series-store';
import type { WorkingSet } from '#prices/series/working-set';
import { type ResourceOf, readResource } from '#upstream/resource';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { CandleSeries, CandleStore } from './candle-store.ts';

/** A fetch returns fewer candles than this, so it changes no older candles. */
const FETCHED = 725;

/** The names of fetches and of other changes to candles, both here and in the store. */
export type CandleFetch = ResourceOf<'candles' | 'candles-import' | 'candles-purge' | 'candles-missing'>;
export const candleFetch = ({ token, interval }: CandleSeries): CandleFetch => `candles:${token}:${interval}`;
export const candleImport = ({ token, interval }: CandleSeries): CandleFetch => `candles-import:${token}:${interval}`;

/** The name of the stored time since when candles of a series have been missing. */
export const missingCandlesOf = ({ token, interval }: CandleSeries): CandleFetch =>
  `candles-missing:${token}:${interval}`;

export const candleFetchesOf = (token: TokenName): CandleFetch[] =>
  INTERVALS.map((interval) => candleFetch({ token, interval }));

export const candleGroup = (token: TokenName, interval: Interval) => `${token}:${interval}` as const;

function touched(what: CandleFetch, since: number): RowsFrom[] {
  const { kind, token, interval } = readResource(what) as { kind: string } & CandleSeries;
  if (kind === 'candles-missing') return [];
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
      (['candles', 'candles-import', 'candles-purge', 'candles-missing'] as const).map(
        (kind) => `${kind}:${group}` as CandleFetch,
      ),
    touched,
    reported: (coverage) => union(coverage.map(({ span }) => span)),
    missing: missingCandles,
  });

export type CandleCache = ReturnType<typeof createCandleCache>;
