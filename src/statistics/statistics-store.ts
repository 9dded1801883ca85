import type { Span } from '#core/clock';
import { epochMs, toInstant } from '#database/values';
import type { PrismaClient } from '#generated/prisma/client';
import type { LatestStatisticsModel } from '#generated/prisma/models';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import { type ImplausibleRows, implausibleRow, isPlausible } from '#upstream/items/plausible';
import type { CounterSample } from './daily-difference.ts';
import { NO_STATISTICS, type StoredStatistics, storedStatistics } from './statistics-records.ts';
import {
  isStatisticsSource,
  isStatisticsSymbol,
  type StatisticsSourceName,
  type StatisticsSymbol,
} from './statistics-sources.ts';

/** A token's last valid statistics. `at` (the sample's own time) and `fetchedAt` are in Unix ms. */
export type StatisticsRow = {
  symbol: StatisticsSymbol;
  source: StatisticsSourceName;
  record: StoredStatistics;
  at: number;
  fetchedAt: number;
};

type CounterRow = { at: number; transactions: number | null; addresses: number | null };

function toCounterSample({ at, transactions, addresses }: CounterRow): CounterSample {
  return {
    at,
    ...(transactions !== null && { transaction_count_all_time: transactions }),
    ...(addresses !== null && { unique_addresses_all_time: addresses }),
  };
}

function readStatistics(row: LatestStatisticsModel, times: Span): StatisticsRow | undefined {
  const { token: symbol, source } = row;
  // A later release may have added a figure.
  const record = storedStatistics.safeParse({ ...NO_STATISTICS, ...(row.record as object) }).data;
  if (!record || !isStatisticsSymbol(symbol) || !isStatisticsSource(source)) return undefined;
  const at = row.at.getTime();
  const fetchedAt = row.fetchedAt.getTime();
  return isPlausible({ at, price: null }, times) ? { symbol, source, record, at, fetchedAt } : undefined;
}

export function createStatisticsStore(prisma: PrismaClient) {
  return {
    /** Replaces a token's last valid statistics and adds its counters in one transaction. */
    async record(
      resource: string,
      { symbol, source, record, at, fetchedAt }: StatisticsRow,
      counters: CounterSample | undefined,
    ): Promise<void> {
      const { transaction_count_all_time = null, unique_addresses_all_time = null } = counters ?? {};
      const writeCounters = prisma.$executeRaw`
        INSERT INTO chain_count (token, source, at, transaction_count_all_time, unique_addresses_all_time)
        VALUES (${symbol}, ${source}, ${toInstant(at)}, ${transaction_count_all_time}::int8,
          ${unique_addresses_all_time}::int8)
        ON CONFLICT (token, source, at) DO UPDATE
        SET transaction_count_all_time = excluded.transaction_count_all_time,
            unique_addresses_all_time = excluded.unique_addresses_all_time`;
      await prisma.$transaction([
        prisma.$executeRaw`
          INSERT INTO latest_statistics (token, source, record, at, fetched_at)
          VALUES (${symbol}, ${source}, ${JSON.stringify(record)}::jsonb, ${toInstant(at)}, ${toInstant(fetchedAt)})
          ON CONFLICT (token) DO UPDATE
          SET source = excluded.source, record = excluded.record, at = excluded.at,
              fetched_at = excluded.fetched_at`,
        ...(counters ? [writeCounters] : []),
        prisma.$executeRaw(bumpVersion(resource, fetchedAt)),
      ]);
    },

    /** Every token's last valid statistics, with plausible times only. */
    async latest(times: Span): Promise<StatisticsRow[]> {
      const rows = await prisma.latestStatistics.findMany();
      return rows.flatMap((row) => readStatistics(row, times) ?? []);
    },

    /** Stored rows that are implausible or that another release wrote in a different format. */
    async implausibleRows(times: Span): Promise<ImplausibleRows[]> {
      const rows = await prisma.latestStatistics.findMany();
      return rows
        .filter((row) => !readStatistics(row, times))
        .map(({ token, at }) => implausibleRow(token, 'statistics', at));
    },

    /** A source's counters within a span (Unix ms, inclusive), in ascending order. */
    async counters(symbol: StatisticsSymbol, source: StatisticsSourceName, { from, thru }: Span) {
      const rows = await prisma.$queryRaw<CounterRow[]>`
        SELECT ${epochMs('at')} AS at, transaction_count_all_time::float8 AS transactions,
          unique_addresses_all_time::float8 AS addresses
        FROM chain_count
        WHERE token = ${symbol} AND source = ${source} AND at BETWEEN ${toInstant(from)} AND ${toInstant(thru)}
        ORDER BY chain_count.at`;
      return rows.map(toCounterSample);
    },

    /** Records a fact, as of an instant (Unix ms), by incrementing its version. Such a fact has no row of its own. */
    async recordFact(resource: string, at: number): Promise<void> {
      await prisma.$executeRaw(bumpVersion(resource, at));
    },
  };
}

export type StatisticsStore = ReturnType<typeof createStatisticsStore>;
