import type { TokenName } from '#catalogue/token';
import { DAY, iso, type Span, startOfDate } from '#core/clock';
import { epochMs, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Interval } from '#prices/model/interval';
import { MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import { createSeriesStore, tokensOf } from './series-store.ts';
import { type ArchivedSample, addCoverage, lockRows, POINT_TABLE, sqlRowsOf, upsert } from './sql-store.ts';

/** Stored rows at `gone` (Unix ms) are deleted, and `samples` are written. */
type Merge = { gone: readonly number[]; samples: readonly ArchivedSample[] };
export type CoveredBySource = { source: MarketSourceName; spans: readonly Span[] };

/** A pattern for the resources of one token's samples. `:latest` ends the resource of all latest prices. */
const TOKEN_RESOURCE = `^(chart|hours|daily|import|purge|(${MARKET_SOURCES.join('|')}):(minute|hour|day)):`;

export function createPointStore(prisma: PrismaClient) {
  return {
    ...createSeriesStore(prisma, POINT_TABLE),

    /** The times of consecutive samples, from any source, between which samples can be missing. */
    async distantSamples(
      times: Span,
      tokens: readonly TokenName[],
    ): Promise<{ token: TokenName; interval: Interval; span: Span }[]> {
      const rows = await prisma.$queryRaw<{ token: TokenName; interval: Interval; from: number; thru: number }[]>`
        SELECT token, "interval"::text AS interval, ${epochMs('before')} AS "from", ${epochMs('at')} AS thru FROM (
          SELECT token, "interval", at, lag(at) OVER (PARTITION BY token, "interval" ORDER BY at) AS before FROM point
          WHERE price IS NOT NULL AND token = ANY (${[...tokens]}::text[]) AND at BETWEEN ${iso(times.from)}::timestamptz AND ${iso(times.thru)}::timestamptz
        ) AS pair
        WHERE at - before > CASE "interval" WHEN 'day' THEN interval '1 day' WHEN 'hour' THEN interval '1 hour'
          ELSE interval '5 minutes' END
        ORDER BY token, "interval", at`;
      return rows.map(({ from, thru, ...rest }) => ({ ...rest, span: { from, thru } }));
    },

    /** Returns a number for each token that has points. Each change to the token's points changes the number. */
    async changes(): Promise<Map<TokenName, number>> {
      const rows = await prisma.$queryRaw<{ token: TokenName; changes: number }[]>`
        SELECT token, sum(change)::float8 AS changes FROM (
          SELECT token, 0 AS change FROM ${tokensOf(POINT_TABLE)} AS tokens
          UNION ALL SELECT token, extract(epoch FROM fetched_at) * 1000 FROM latest_price
          UNION ALL SELECT substring(resource FROM '[^:]*$'), version FROM refresh
            WHERE resource ~ ${TOKEN_RESOURCE}) AS change
        GROUP BY token`;
      return new Map(rows.map(({ token, changes }) => [token, changes]));
    },

    /** The prices at the start of each date, from samples or candles. `dates` has the first and last date. */
    async dailyPrices(token: TokenName, dates: Span): Promise<ReadonlyMap<number, number>> {
      const from = toInstant(startOfDate(dates.from));
      const thru = toInstant(startOfDate(dates.thru) + DAY);
      const rows = await prisma.$queryRaw<{ date: number; price: number }[]>`
        SELECT ${epochMs("date_trunc('day', at, 'UTC')")} AS date, price FROM (
          SELECT at, open AS price FROM candle WHERE token = ${token} AND at >= ${from} AND at < ${thru}
            AND at = date_trunc('day', at, 'UTC')
          UNION ALL
          SELECT at, price FROM point WHERE token = ${token} AND "interval" = 'day' AND at >= ${from} AND at < ${thru}) AS known
        WHERE price > 0 AND price < 'Infinity'`;
      return new Map(rows.map(({ date, price }) => [date, price]));
    },

    /**
     * Merges rows and coverage for `dates` (the first and the last, Unix ms). `merge` receives the stored rows. The
     * table is locked from the read to the write, so that no process stores a second row for a date in the meantime.
     */
    async merge<Merged extends Merge>(
      token: TokenName,
      dates: Span | undefined,
      covers: readonly CoveredBySource[],
      merge: (stored: readonly ArchivedSample[]) => Merged,
      at: number,
    ): Promise<Merged | undefined> {
      return prisma.$transaction(async (tx) => {
        let merged: Merged | undefined;
        await tx.$executeRaw(lockRows(POINT_TABLE));
        if (dates) {
          const stored = await tx.$queryRaw<ArchivedSample[]>`
            SELECT ${epochMs('at')} AS at, price, market_cap AS "marketCap", volume, final AND NOT provisional AS final, source
            FROM point
            WHERE token = ${token} AND "interval" = 'day' AND at >= ${toInstant(startOfDate(dates.from))}
              AND at < ${toInstant(startOfDate(dates.thru) + DAY)}
            ORDER BY point.at`;
          merged = merge(stored);
          const { gone, samples } = merged;
          if (gone.length > 0) {
            await tx.$executeRaw`
              DELETE FROM point WHERE token = ${token} AND "interval" = 'day'
                AND at = ANY (${gone.map((instant) => new Date(instant).toISOString())}::timestamptz[])`;
          }
          for (const [source, rows] of Map.groupBy(samples, ({ source }) => source)) {
            await tx.$executeRaw(
              upsert(POINT_TABLE, token, 'day', Prisma.sql`(${sqlRowsOf(POINT_TABLE, source, rows)}) AS given`),
            );
          }
        }
        for (const { source, spans } of covers) {
          await tx.$executeRaw(addCoverage(POINT_TABLE, token, 'day', source, spans));
        }
        await tx.$executeRaw(bumpVersion(`import:${token}`, at));
        return merged;
      });
    },
  };
}

export type PointStore = ReturnType<typeof createPointStore>;
