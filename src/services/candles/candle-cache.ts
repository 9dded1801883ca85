import { candleLength } from '#domain/candles/candle';
import { type CandleColumns, candleColumns, candlesBetween } from '#domain/candles/candle-columns';
import type { Clock } from '#domain/clock';
import { INTERVALS, type Interval } from '#domain/market/interval';
import { plausibleTimes } from '#domain/market/plausible-sample';
import { type Span, union } from '#domain/market/span';
import type { TokenName } from '#domain/market/token';
import { oldestInMemory, pagesFrom } from '#services/caching/stored-rows';
import { createPoll } from '#services/upstream/poll';
import type { CandleSeries, CandleStore } from '#stores/candles/candles';
import type { RefreshStore } from '#stores/upstream/claims-and-budgets';

/** A fetch brings no candles that began longer before it than so many lengths. */
const FETCHED = 725;

/** The name of a fetch, here and in the store, and of what else changes candles: an import, a purge. */
export type CandleFetch = `${'candles' | 'candles-import' | 'candles-purge'}:${TokenName}:${Interval}`;
export const candleFetch = ({ token, interval }: CandleSeries): CandleFetch => `candles:${token}:${interval}`;
export const candleImport = ({ token, interval }: CandleSeries): CandleFetch =>
  `candles-import:${token}:${interval}`;

/** The fetches of a token's candles. */
export const candleFetchesOf = (token: TokenName): CandleFetch[] =>
  INTERVALS.map((interval) => candleFetch({ token, interval }));

function seriesOf(what: string): (CandleSeries & { isFetch: boolean }) | undefined {
  const [kind = '', token = '', name] = what.split(':');
  const interval = INTERVALS.find((one) => one === name);
  if (!/^candles(-import|-purge)?$/.test(kind) || token === '' || !interval) return undefined;
  return { token, interval, isFetch: kind === 'candles' };
}

const isCandleFetch = (what: string): what is CandleFetch => seriesOf(what) !== undefined;

/** `version` rises with each reload of the series; `loadedAt`: when that was (Unix ms), 0 for never. */
type CachedCandles = {
  columns: CandleColumns;
  coverage: readonly Span[];
  version: number;
  loadedAt: number;
};
const NOTHING: CachedCandles = { columns: candleColumns([]), coverage: [], version: 0, loadedAt: 0 };

type Dependencies = { store: CandleStore; refreshes: Pick<RefreshStore, 'all'>; clock: Clock };

/**
 * The stored candles in memory: those of each series that anything was ever fetched of. As with the archive of prices,
 * what is fetched is stored first and then reloaded, so that the memory of every process is what is stored.
 */
export async function openCandleCache({ store, refreshes, clock }: Dependencies) {
  const cached = new Map<string, CachedCandles>();
  let generation = 0;

  const nameOf = ({ token, interval }: CandleSeries) => `${token}:${interval}`;
  const of = (series: CandleSeries): CachedCandles => cached.get(nameOf(series)) ?? NOTHING;
  const oldest = (interval: Interval) => oldestInMemory(interval, clock.now());

  /** The stored candles of a span, after those that come before it. */
  async function read(
    series: CandleSeries,
    { from, thru }: Span,
    before = NOTHING.columns,
  ): Promise<CandleColumns> {
    let columns = before;
    const readPage = (next: number, most: number) => store.candles(series, { from: next, thru }, most);
    for await (const page of pagesFrom(from, readPage)) columns = candleColumns(page, columns);
    return columns;
  }

  /** The coverage is read before the candles: it must not cover candles that are not loaded. */
  async function reload(changed: readonly CandleFetch[]): Promise<void> {
    const coverage = await store.coverage();
    for (const what of changed) {
      const series = seriesOf(what);
      if (!series) continue;
      const { columns, version, loadedAt } = of(series);
      const now = clock.now();
      const changedFrom = series.isFetch ? loadedAt - FETCHED * candleLength(series.interval) : 0;
      const since = Math.max(oldest(series.interval), changedFrom);
      const before = candlesBetween(columns, oldest(series.interval), since - 1);
      const mine = coverage.filter((row) => nameOf(row) === nameOf(series));
      cached.set(nameOf(series), {
        columns: await read(series, { ...plausibleTimes(now), from: since }, before),
        coverage: union(mine.map(({ span }) => span)),
        version: version + 1,
        loadedAt: now,
      });
    }
    generation += 1;
  }

  const { sync, version, fetchedAt } = createPoll({ refreshes, concerns: isCandleFetch, reload });
  await sync();

  return {
    sync,
    version,
    fetchedAt,
    coverage: (series: CandleSeries) => of(series).coverage,
    columns: (series: CandleSeries) => of(series).columns,

    /** Rises with each reload. */
    generation: () => generation,

    /** The candles of a span: read from the store where the memory does not go back so far. */
    async between(series: CandleSeries, span: Span): Promise<CandleColumns> {
      if (span.from < oldest(series.interval)) return read(series, span);
      return candlesBetween(of(series).columns, span.from, span.thru);
    },

    /** Names the candles of a span as they are now; undefined for those that are not in memory. */
    versionOf: (series: CandleSeries, { from }: Span): string | undefined =>
      from >= oldest(series.interval) ? String(of(series).version) : undefined,

    async record(update: Parameters<CandleStore['record']>[1], at: number): Promise<void> {
      await store.record(candleFetch(update), update, at);
      await sync();
    },
  };
}

export type CandleCache = Awaited<ReturnType<typeof openCandleCache>>;
