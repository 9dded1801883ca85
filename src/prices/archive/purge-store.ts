import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { lockRows, tokensOf } from '#prices/archive/archive-sql-store';
import { candleLength } from '#prices/model/candle';
import type { Interval } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { bumpVersion } from '#upstream/claims-and-budgets-store';

/** Rows deleted in one transaction: some milliseconds, for which other writers of their table wait. */
const BATCH = 5000;
/** The longest that one of them may take, in ms, the wait for other writers included. */
const LONGEST = 30_000;

type Kind = {
  rows: 'point' | 'candle';
  coverage: 'source_coverage' | 'candle_coverage';
  /** The time of which a row is the only one, as a range. */
  slot(interval: Interval): Prisma.Sql;
  /** What processes watch for what was deleted of a series. */
  purged(token: string, interval: Interval): string;
};

const KINDS = {
  points: {
    rows: 'point',
    coverage: 'source_coverage',
    slot(interval) {
      const start = Prisma.sql`date_trunc(${interval}, at, 'UTC')`;
      return Prisma.sql`tstzrange(${start}, ${start} + ('1 ' || ${interval})::interval)`;
    },
    purged: (token) => `purge:${token}`,
  },
  candles: {
    rows: 'candle',
    coverage: 'candle_coverage',
    slot: (interval) => Prisma.sql`tstzrange(at, at + ${candleLength(interval)}::int * interval '1 ms')`,
    purged: (token, interval) => `candles-purge:${token}:${interval}`,
  },
} as const satisfies Record<string, Kind>;

/** What is deleted in batches, with its coverage. */
type PurgedKind = keyof typeof KINDS;

/** What is deleted: what a source told of the time before an instant (Unix ms), or all that it told. */
export type Purge = { source: MarketSourceName; before?: number | undefined };

/**
 * Deletes the next rows of a series that a source told, and from its coverage the time up to where they end: to the
 * end of the purge with the last of them. Where a deleted row had taken the place of another source's, that one's
 * coverage loses the slot. So coverage never tells more than there is.
 *
 * The rows are deleted by their times, as a list: an embedded database has no statistics, and joined the batch to itself
 * row by row, for a minute.
 */
function purgeBatch(
  kind: Kind,
  token: string,
  interval: Interval,
  { source, before }: Purge,
  after: string | undefined,
) {
  const [table, coverage] = [Prisma.raw(kind.rows), Prisma.raw(kind.coverage)];
  const end = before === undefined ? Prisma.sql`'infinity'::timestamptz` : toInstant(before);
  const isBefore = before === undefined ? Prisma.sql`true` : Prisma.sql`at < ${end}`;
  const isNext = after === undefined ? Prisma.sql`true` : Prisma.sql`at > ${after}::timestamptz`;
  const ofSeries = Prisma.sql`token = ${token} AND grain = ${interval}::grain`;
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
      INSERT INTO ${coverage} (token, grain, source, "from", thru)
      SELECT ${token}, ${interval}::grain, source, lower(span), upper(span) - interval '1 ms'
      FROM (SELECT source, unnest(spans) AS span FROM rest) AS left_over)
    SELECT count, last, whole, (SELECT count(*)::int FROM touching WHERE source = ${source}) AS spans FROM batch`;
}

type Batch = { count: number; last: string | null; whole: boolean; spans: number };

/** Every token of which there is anything. */
const TOKENS = Prisma.sql`
  ${tokensOf(Prisma.sql`point`)} UNION ${tokensOf(Prisma.sql`candle`)}
  UNION SELECT token FROM source_coverage UNION SELECT token FROM candle_coverage
  UNION SELECT token FROM source_latest`;

/** Deletes what a source told: its points, its candles, its latest prices, and its coverage as far. */
export function createPurgeStore(prisma: PrismaClient) {
  /** Deletes a batch, and tells every process where that changed anything. */
  const purgeNext = (
    kind: Kind,
    token: string,
    interval: Interval,
    purge: Purge,
    after: string | undefined,
    at: number,
  ) =>
    prisma.$transaction(
      async (tx) => {
        await tx.$executeRaw(lockRows(kind.rows));
        const [batch] = await tx.$queryRaw<[Batch]>(purgeBatch(kind, token, interval, purge, after));
        if (batch.count + batch.spans > 0) await tx.$executeRaw(bumpVersion(kind.purged(token, interval), at));
        return batch;
      },
      { timeout: LONGEST },
    );

  return {
    /** The tokens of which anything is stored. */
    async tokens(): Promise<string[]> {
      const rows = await prisma.$queryRaw<{ token: string }[]>(TOKENS);
      return rows.map(({ token }) => token).sort();
    },

    /**
     * Deletes what a source told of a series, some thousand rows in a transaction: what was deleted stays so where it
     * is interrupted.
     *
     * @param at Unix ms: when this is done
     * @returns how many rows were deleted, and how many spans of coverage were changed or deleted
     */
    async series(kind: PurgedKind, token: string, interval: Interval, purge: Purge, at: number) {
      const counts = { deleted: 0, spans: 0 };
      for (let after: string | undefined; ; ) {
        const { count, last, whole, spans } = await purgeNext(KINDS[kind], token, interval, purge, after, at);
        counts.deleted += count;
        counts.spans += spans;
        if (whole) return counts;
        after = last ?? undefined;
      }
    },

    /**
     * Deletes the latest price of a token that a source told.
     *
     * @param due the fetches that are to be made again as if they never had been
     * @returns how many were deleted: one or none
     */
    async latest(token: string, { source, before }: Purge, due: readonly string[], at: number): Promise<number> {
      const isBefore = before === undefined ? Prisma.sql`true` : Prisma.sql`at < ${toInstant(before)}`;
      return prisma.$transaction(async (tx) => {
        const deleted = await tx.$executeRaw`
          DELETE FROM source_latest WHERE token = ${token} AND source = ${source} AND ${isBefore}`;
        await tx.$executeRaw`
          UPDATE refresh SET fetched_at = NULL, version = version + 1 WHERE what = ANY (${[...due]}::text[])`;
        if (deleted > 0) await tx.$executeRaw(bumpVersion(KINDS.points.purged(token), at));
        return deleted;
      });
    },
  };
}

export type PurgeStore = ReturnType<typeof createPurgeStore>;
