import { type Clock, DAY, latestOf, SECOND } from '#core/clock';
import type { Log } from '#core/log';
import { type Body, bodyOf } from '#server/responses/response-body';
import { plausibleTimes } from '#upstream/items/plausible';
import { readResource } from '#upstream/resource';
import type { VersionWatcher } from '#upstream/version-watcher';
import { type CounterSample, countersOf, DAY_TOLERANCE, dayFigures, nullReasons } from './daily-difference.ts';
import { NO_STATISTICS, type StoredStatistics } from './statistics-records.ts';
import {
  type ChainSample,
  STATISTICS_SYMBOLS,
  type StatisticsSource,
  type StatisticsSourceName,
  type StatisticsSymbol,
} from './statistics-sources.ts';
import type { StatisticsRow, StatisticsStore } from './statistics-store.ts';

export type StatisticsFetch = `statistics:${StatisticsSymbol}`;
type Unlisted = `unlisted:${StatisticsSourceName}:${StatisticsSymbol}`;
const symbolOf = (resource: StatisticsFetch) => readResource(resource).token as StatisticsSymbol;

const namesOf = (sources: readonly StatisticsSourceName[]): (StatisticsFetch | Unlisted)[] =>
  STATISTICS_SYMBOLS.flatMap((symbol) => [
    `statistics:${symbol}` as const,
    ...sources.map((source) => `unlisted:${source}:${symbol}` as const),
  ]);

/** Converts a sample to a record. A figure that the source did not report is null. */
function statisticsRecord(symbol: StatisticsSymbol, { id, at, partnerSymbol, figures }: ChainSample): StoredStatistics {
  const name = symbol.toUpperCase();
  const time = Math.floor(at / SECOND);
  return { id: id ?? null, time, symbol: name, partner_symbol: partnerSymbol ?? name, ...NO_STATISTICS, ...figures };
}

type Cached = { row: StatisticsRow; body: Body };
type Dependencies = {
  store: StatisticsStore;
  versions: Pick<VersionWatcher, 'watch'>;
  sources: readonly Pick<StatisticsSource, 'name' | 'figuresByToken'>[];
  clock: Clock;
  log: Log;
};

/** Caches the last valid statistics. Every process stores a sample first and then reloads it. */
export async function openStatisticsCache({ store, versions, sources, clock, log }: Dependencies) {
  const cached = new Map<StatisticsSymbol, Cached>();
  let generation = 0;

  async function reload(changed: readonly string[]): Promise<void> {
    if (changed.length === 0) return;
    for (const row of await store.latest(plausibleTimes(clock.now()))) {
      if (cached.get(row.symbol)?.row.fetchedAt === row.fetchedAt) continue;
      const { symbol, source, record } = row;
      const reported = sources.find(({ name }) => name === source)?.figuresByToken[symbol] ?? [];
      const reasons = nullReasons(record, symbol, reported);
      cached.set(symbol, { row, body: bodyOf(JSON.stringify({ ...record, reasons })) });
    }
    generation += 1;
  }

  const names = namesOf(sources.map(({ name }) => name));
  const { sync, version, fetchedAt } = versions.watch({ names: () => names, reload });
  await sync();
  for (const row of await store.implausibleRows(plausibleTimes(clock.now()))) {
    log.warn(row, 'implausible rows excluded');
  }

  const dayBefore = (at: number) => ({ from: at - DAY - DAY_TOLERANCE, thru: at - DAY + DAY_TOLERANCE });

  return {
    sync,
    version,
    fetchedAt: (resource: StatisticsFetch): number | undefined => cached.get(symbolOf(resource))?.row.fetchedAt,

    /** When a source last reported to any process that it does not list a chain (Unix ms). */
    unlistedAt: (source: StatisticsSourceName, symbol: StatisticsSymbol): number | undefined =>
      fetchedAt(`unlisted:${source}:${symbol}`),

    /** When the newest statistics were fetched (Unix ms). Null if none are stored. */
    newestAt: (): number | null => latestOf([...cached.values()].map(({ row }) => row.fetchedAt)),

    of: (symbol: StatisticsSymbol): Cached | undefined => cached.get(symbol),
    generation: () => generation,

    /** Stores a sample as a token's last valid statistics, with the daily differences from earlier samples. */
    async record(symbol: StatisticsSymbol, source: StatisticsSourceName, sample: ChainSample, at: number) {
      const counters = countersOf(sample);
      const earlier: CounterSample[] = counters ? await store.counters(symbol, source, dayBefore(sample.at)) : [];
      const figures = { ...sample.figures, ...dayFigures(sample, earlier) };
      const record = statisticsRecord(symbol, { ...sample, figures });
      await store.record(
        `statistics:${symbol}` satisfies StatisticsFetch,
        { symbol, source, record, at: sample.at, fetchedAt: at },
        counters,
      );
      await sync();
    },

    async recordUnlisted(source: StatisticsSourceName, symbol: StatisticsSymbol, at: number): Promise<void> {
      await store.recordFact(`unlisted:${source}:${symbol}` satisfies Unlisted, at);
      await sync();
    },
  };
}

export type StatisticsCache = Awaited<ReturnType<typeof openStatisticsCache>>;
