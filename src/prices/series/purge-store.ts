import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { candleLength } from '#prices/model/candle';
import type { Interval } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { tokensOf } from '#prices/series/series-store';
import { CANDLE_TABLE, lockRows, POINT_TABLE, type SeriesTable, sqlOfSeries } from '#prices/series/sql-store';
import { bumpVersion } from '#upstream/claims-and-budgets-store';

/** Rows per transaction. Other writers of the table wait a few milliseconds for each transaction. */
const BATCH = 5000;
/** The timeout of a transaction in ms, including the wait for other writers. */
const LONGEST = 30_000;

type Kind = {
  table: SeriesTable<unknown>;
  slot(interval: Interval): Prisma.Sql;
  purged(token: string, interval: Interval): string;
};

const KINDS = {
  points: {
    table: POINT_TABLE,
    slot(interval) {
      const start = Prisma.sql`date_trunc(${interval}, at, 'UTC')`;
      return Prisma.sql`tstzrange(${start}, ${start} + ('1 ' || ${interval})::interval)`;
    },
    purged: (token) => `purge:${token}`,
  },
  candles: {
    table: CANDLE_TABLE,
    slot: (interval) => Prisma.sql`tstzrange(at, at + ${candleLength(interval)}::int * interval '1 ms')`,
    purged: (token, interval) => `candles-purge:${token}:${interval}`,
  },
} as const satisfies Record<string, Kind>;

type PurgedKind = keyof typeof KINDS;

/** A source's data before an instant (Unix ms), or all of its data. */
export type Purge = { source: MarketSourceName; before?: number | undefined };

/**
 * Deletes a batch of a source's rows, and its coverage up to the last deleted row or the end of the purge. A slot in
 * which a deleted row had replaced another source's row is removed from that source's coverage. Rows are deleted by a
 * list of times: the embedded database has no statistics, and a self-join took a minute.
 */
function purgeBatch(kind: Kind, token: string, interval: Interval, { source, before }: Purge, after?: string) {
  const { table, coverageTable: coverage } = kind.table;
  const end = before === undefined ? Prisma.sql`'infinity'::timestamptz` : toInstant(before);
  const isBefore = before === undefined ? Prisma.sql`true` : Prisma.sql`at < ${end}`;
  const isNext = after === undefined ? Prisma.sql`true` : Prisma.sql`at > ${after}::timestamptz`;
  const ofSeries = sqlOfSeries(token, interval);
  return Prisma.sql`
    WITH gone AS (
      DELETE FROM ${table} WHERE ${ofSeries} AND at = ANY (ARRAY(
        SELECT at FROM ${table} WHERE ${ofSeries} AND source = ${source} AND ${isNext} AND ${isBefore}
        ORDER BY at LIMIT ${BATCH}::int))
      RETURNING at),
    batch AS (
      SELECT count(*)::int AS count, max(at)::text AS last, count(*) < ${BATCH}::int AS whole,
        CASE WHEN count(*) < ${BATCH}::int THEN ${end} ELSE max(at) + interval '1 ms' END AS thru,
        coalesce(range_agg(${kind.slot(interval)}), '{}') AS slots
      FROM gone),
    touching AS (
      DELETE FROM ${coverage} c USING batch WHERE ${ofSeries}
        AND (c.source = ${source} AND c."from" < batch.thru
          OR c.source <> ${source} AND tstzrange(c."from", c.thru, '[]') && batch.slots)
      RETURNING source, "from", c.thru),
    rest AS (
      SELECT source, range_agg(tstzrange("from", touching.thru + interval '1 ms')) - CASE WHEN source = ${source}
        THEN tstzmultirange(tstzrange(NULL, (SELECT thru FROM batch))) ELSE (SELECT slots FROM batch) END AS spans
      FROM touching GROUP BY source),
    kept AS (
      INSERT INTO ${coverage} (token, "interval", source, "from", thru)
      SELECT ${token}, ${interval}::series_interval, source, lower(span), upper(span) - interval '1 ms'
      FROM (SELECT source, unnest(spans) AS span FROM rest) AS left_over)
    SELECT count, last, whole, (SELECT count(*)::int FROM touching WHERE source = ${source}) AS spans FROM batch`;
}

type Batch = { count: number; last: string | null; whole: boolean; spans: number };

const TOKENS = Prisma.sql`
  ${tokensOf(POINT_TABLE)} UNION ${tokensOf(CANDLE_TABLE)}
  UNION SELECT token FROM point_coverage UNION SELECT token FROM candle_coverage
  UNION SELECT token FROM latest_price`;

export function createPurgeStore(prisma: PrismaClient) {
  return {
    async tokens(): Promise<string[]> {
      const rows = await prisma.$queryRaw<{ token: string }[]>(TOKENS);
      return rows.map(({ token }) => token).sort();
    },

    /** Deletes a source's rows of a series in batches. An interruption keeps completed batches. Returns the totals. */
    async series(kind: PurgedKind, token: string, interval: Interval, purge: Purge, at: number) {
      const { table, purged }: Kind = KINDS[kind];
      const counts = { deleted: 0, spans: 0 };
      for (let after: string | undefined; ; ) {
        const { count, last, whole, spans } = await prisma.$transaction(
          async (tx) => {
            await tx.$executeRaw(lockRows(table));
            const [batch] = await tx.$queryRaw<[Batch]>(purgeBatch(KINDS[kind], token, interval, purge, after));
            if (batch.count + batch.spans > 0) await tx.$executeRaw(bumpVersion(purged(token, interval), at));
            return batch;
          },
          { timeout: LONGEST },
        );
        counts.deleted += count;
        counts.spans += spans;
        if (whole) return counts;
        after = last ?? undefined;
      }
    },

    /** Deletes a source's latest price of a token, and marks the fetches in `due` as due. Returns 0 or 1. */
    async latest(token: string, { source, before }: Purge, due: readonly string[], at: number): Promise<number> {
      const isBefore = before === undefined ? Prisma.sql`true` : Prisma.sql`at < ${toInstant(before)}`;
      return prisma.$transaction(async (tx) => {
        const deleted = await tx.$executeRaw`
          DELETE FROM latest_price WHERE token = ${token} AND source = ${source} AND ${isBefore}`;
        await tx.$executeRaw`
          UPDATE refresh SET fetched_at = NULL, version = version + 1 WHERE resource = ANY (${[...due]}::text[])`;
        if (deleted > 0) await tx.$executeRaw(bumpVersion(KINDS.points.purged(token), at));
        return deleted;
      });
    },
  };
}

export type PurgeStore = ReturnType<typeof createPurgeStore>;
