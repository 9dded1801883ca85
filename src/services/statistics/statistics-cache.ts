import { DAY } from '../domain/clock.ts';
import { type CounterSample, countersOf, DAY_TOLERANCE, dayFigures } from '../domain/day-figures.ts';
import type { ChainSample, StatisticsSourceName, StatisticsSymbol } from '../domain/statistics.ts';
import { statisticsRecord } from '../domain/statistics-record.ts';
import type { RefreshStore } from '../stores/refreshes.ts';
import type { StatisticsRow, StatisticsStore } from '../stores/statistics.ts';
import { type Body, bodyOf } from './bodies.ts';
import { createWatch } from './watch.ts';

/** What is fetched, and what is learnt on the way: that a source does not list a chain. */
export type StatisticsFetch = `statistics:${StatisticsSymbol}`;
type Unlisted = `unlisted:${StatisticsSourceName}:${StatisticsSymbol}`;

const symbolOf = (what: StatisticsFetch) => what.slice('statistics:'.length) as StatisticsSymbol;

const concerns = (what: string): what is StatisticsFetch | Unlisted => /^(statistics|unlisted):/.test(what);

type Held = { row: StatisticsRow; body: Body };
type Parts = { store: StatisticsStore; refreshes: Pick<RefreshStore, 'all'> };

/**
 * The last good statistics of each token, in memory as in the store: what is learnt is written first and then read
 * back, in this process as in every other.
 */
export async function openStatisticsHoldings({ store, refreshes }: Parts) {
  const held = new Map<StatisticsSymbol, Held>();
  let generation = 0;

  async function takeOver(): Promise<void> {
    for (const row of await store.latest()) {
      if (held.get(row.symbol)?.row.fetchedAt === row.fetchedAt) continue;
      held.set(row.symbol, { row, body: bodyOf(JSON.stringify(row.record)) });
    }
    generation += 1;
  }

  const { sync, version, fetchedAt } = createWatch({ refreshes, concerns, takeOver });
  await sync();

  const dayBefore = (at: number) => ({ from: at - DAY - DAY_TOLERANCE, thru: at - DAY + DAY_TOLERANCE });

  return {
    sync,
    version,

    /** When the statistics of a token that are held were fetched (Unix ms), by whichever process. */
    fetchedAt: (what: StatisticsFetch): number | undefined => held.get(symbolOf(what))?.row.fetchedAt,

    /** When a source last said that it does not list a chain (Unix ms), to whichever process. */
    unlistedAt: (source: StatisticsSourceName, symbol: StatisticsSymbol): number | undefined =>
      fetchedAt(`unlisted:${source}:${symbol}`),

    of: (symbol: StatisticsSymbol): Held | undefined => held.get(symbol),

    /** Rises with everything that is taken over. */
    generation: () => generation,

    /** Makes a sample the last good statistics of a token, with the figures that follow from earlier samples. */
    async record(
      symbol: StatisticsSymbol,
      source: StatisticsSourceName,
      sample: ChainSample,
      at: number,
    ): Promise<void> {
      const counters = countersOf(sample);
      const earlier: CounterSample[] = counters
        ? await store.counters(symbol, source, dayBefore(sample.at))
        : [];
      const figures = { ...sample.figures, ...dayFigures(sample, earlier) };
      const record = statisticsRecord(symbol, { ...sample, figures });
      await store.record(
        `statistics:${symbol}` satisfies StatisticsFetch,
        { symbol, source, record, at: sample.at, fetchedAt: at },
        counters,
      );
      await sync();
    },

    /** A source does not list a chain, as it said at an instant (Unix ms). */
    async recordUnlisted(source: StatisticsSourceName, symbol: StatisticsSymbol, at: number): Promise<void> {
      await store.learnt(`unlisted:${source}:${symbol}` satisfies Unlisted, at);
      await sync();
    },
  };
}

export type StatisticsHoldings = Awaited<ReturnType<typeof openStatisticsHoldings>>;
