import type { TokenName } from '#catalogue/token';
import { type Clock, type Span, union } from '#core/clock';
import type { Coverage } from '#prices/archive/archive-store';
import { createLazyCache, oldestInMemory, pagesFrom, readSeries } from '#prices/archive/lazy-cache';
import type { WorkingSet } from '#prices/archive/working-set';
import { CANDLES, type CandleColumns, candleLength, type StoredCandle } from '#prices/model/candle';
import { INTERVALS, type Interval } from '#prices/model/interval';
import { columnsOf, createSeries, type Series, type Slice, wholeOf } from '#prices/model/series';
import { plausibleTimes } from '#upstream/plausible';
import type { ResourceOf } from '#upstream/resource';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { CandleSeries, CandleStore } from './candle-store.ts';

/** More candles than a fetch returns. A fetch changes no older candles. */
const FETCHED = 725;

/** The names of fetches and of other changes to candles, here and in the store. */
export type CandleFetch = ResourceOf<'candles' | 'candles-import' | 'candles-purge'>;
export const candleFetch = ({ token, interval }: CandleSeries): CandleFetch => `candles:${token}:${interval}`;
export const candleImport = ({ token, interval }: CandleSeries): CandleFetch => `candles-import:${token}:${interval}`;

export const candleFetchesOf = (token: TokenName): CandleFetch[] =>
  INTERVALS.map((interval) => candleFetch({ token, interval }));

const nameOf = ({ token, interval }: CandleSeries): string => `${token}:${interval}`;
function seriesOf(name: string): CandleSeries {
  const [token, interval] = name.split(':') as [TokenName, Interval];
  return { token, interval };
}

const namesOf = ({ token, interval }: CandleSeries): CandleFetch[] =>
  (['candles', 'candles-import', 'candles-purge'] as const).map((kind) => `${kind}:${token}:${interval}` as const);

/** `loadedAt`: when the series was last reloaded (Unix ms). */
type CachedCandles = { series: Series<CandleColumns, StoredCandle>; coverage: readonly Span[]; loadedAt: number };
const NOTHING = wholeOf(CANDLES.allocate(0));

type Dependencies = {
  store: CandleStore;
  versions: Pick<VersionWatcher, 'watch'>;
  clock: Clock;
  workingSet: WorkingSet;
};

/**
 * The stored candles in memory. As in the price archive, candles are stored first and then reloaded. A series must be
 * loaded (`load`) before use.
 */
export function createCandleCache({ store, versions, clock, workingSet }: Dependencies) {
  const residents = createLazyCache<CachedCandles>({
    workingSet,
    bytesOf: ({ series }) => series.bytes,
    dropped: (name) => forget(namesOf(seriesOf(name))),
  });
  let generation = 0;
  const oldest = (interval: Interval) => oldestInMemory(interval, clock.now());
  const of = (series: CandleSeries): CachedCandles => residents.of(nameOf(series));

  const readerOf = (series: CandleSeries, thru: number) => (from: number, most: number) =>
    store.candles(series, { from, thru }, most);

  /** The coverage is read before the candles, so that it never covers candles that are not loaded. */
  async function load(series: CandleSeries, coverage: readonly Coverage[], isFetched: boolean): Promise<void> {
    const known = residents.peek(nameOf(series));
    const now = clock.now();
    const changedFrom = known && isFetched ? known.loadedAt - FETCHED * candleLength(series.interval) : 0;
    const since = Math.max(oldest(series.interval), changedFrom);
    const rows: StoredCandle[] = [];
    for await (const page of pagesFrom(since, readerOf(series, plausibleTimes(now).thru))) rows.push(...page);
    const candles = known?.series ?? createSeries(CANDLES);
    candles.dropBefore(oldest(series.interval));
    candles.replaceFrom(since, rows);
    const mine = coverage.filter((row) => nameOf(row) === nameOf(series));
    residents.keep(nameOf(series), { series: candles, coverage: union(mine.map(({ span }) => span)), loadedAt: now });
  }

  async function reload(changed: readonly CandleFetch[]): Promise<void> {
    const isChanged = (series: CandleSeries) => namesOf(series).some((what) => changed.includes(what));
    const known = residents.kept().map(seriesOf).filter(isChanged);
    const series = [...residents.wanted().map(seriesOf), ...known];
    if (series.length === 0) return;
    const coverage = await store.coverage([...new Set(series.map(({ token }) => token))]);
    for (const one of series) {
      const changes = namesOf(one).filter((what) => changed.includes(what));
      await load(one, coverage, known.includes(one) && changes.every((what) => what === candleFetch(one)));
    }
    if (known.length > 0) generation += 1;
    workingSet.trim();
  }

  const names = () => [...residents.kept(), ...residents.wanted()].map(seriesOf).flatMap(namesOf);
  const { sync, version, fetchedAt, forget } = versions.watch<CandleFetch>({ names, reload });

  return {
    sync,
    version,
    fetchedAt,
    /** Loads a series. Returns undefined if the series is already in memory, where it remains as long as it is used. */
    load: (series: CandleSeries): Promise<void> | undefined => residents.load(nameOf(series), sync),
    coverage: (series: CandleSeries) => of(series).coverage,
    slice: (series: CandleSeries, { from, thru }: Span): Slice<CandleColumns> => of(series).series.slice(from, thru),

    /** The start of the first candle in memory (Unix ms). */
    first(series: CandleSeries): number | undefined {
      const { columns, start, end } = residents.peek(nameOf(series))?.series.all() ?? NOTHING;
      return start < end ? columns.at[start] : undefined;
    },

    generation: () => generation,

    /** A copy of a span's candles, read from the store if memory does not reach back that far. */
    async between(series: CandleSeries, { from, thru }: Span): Promise<CandleColumns> {
      const stored =
        from < oldest(series.interval) ? await readSeries(CANDLES, from, readerOf(series, thru)) : of(series).series;
      return columnsOf(CANDLES, [], stored.slice(from, thru));
    },

    /** The version of a span's candles; undefined if they are not in memory. */
    versionOf: (series: CandleSeries, { from }: Span): string | undefined =>
      from >= oldest(series.interval) ? String(of(series).series.version) : undefined,

    async record(update: Parameters<CandleStore['record']>[1], at: number): Promise<void> {
      await store.record(candleFetch(update), update, at);
      await sync();
    },
  };
}

export type CandleCache = ReturnType<typeof createCandleCache>;
