import { DAY } from '../domain/clock.ts';
import type { Grain } from '../domain/grain.ts';
import { type LatestPrice, latestPrice } from '../domain/records.ts';
import type { Span } from '../domain/span.ts';
import { isTokenName, type TokenName } from '../domain/token.ts';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { type ArchivedSample, addCoverage, bumpRefresh, epochMs, given, toInstant } from './archive-sql.ts';

/** Samples of one grain, ascending, and the span of which the source has now told all it knows. */
export type Holding = { grain: Grain; samples: readonly ArchivedSample[]; covers?: Span };
export type Coverage = { token: TokenName; grain: Grain; span: Span };
export type LatestRow = { token: TokenName; record: LatestPrice; at: number; fetchedAt: number };
export type HoldingSummary = { token: TokenName; grain: Grain; from: number; thru: number; points: number };

/** The rows of `Point`, `Coverage`, `Latest` and `Refresh`: what the service knows of the market. */
export function createArchiveStore(prisma: PrismaClient) {
  /**
   * A chart answer replaces the unsettled rows of the span it covers and adds what is new. A settled row never
   * changes, and neither does another sample come beside it in its slot: an aggregator that gives an old slot
   * another second than it did before would otherwise double it.
   *
   * The settled slots are looked up in a hash (`NOT IN` without a correlation): an embedded database has no
   * statistics, and without them a correlated look-up reads the whole series for each row.
   */
  function writePoints(token: TokenName, { grain, samples, covers }: Holding) {
    const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
    const unsettledOfSpan = covers
      ? Prisma.sql`DELETE FROM point WHERE token = ${token} AND grain = ${grain}::grain AND NOT settled
          AND at BETWEEN ${toInstant(covers.from)} AND ${toInstant(covers.thru)}
          AND at NOT IN (SELECT at FROM given)`
      : Prisma.sql`SELECT 1`;
    return prisma.$executeRaw`
      WITH given AS (${given(samples)}), gone AS (${unsettledOfSpan})
      INSERT INTO point (token, grain, at, price, market_cap, volume, settled)
      SELECT ${token}, ${grain}::grain, at, price, market_cap, volume, settled FROM given
      WHERE date_trunc(${grain}, at, 'UTC') NOT IN (
        SELECT date_trunc(${grain}, at, 'UTC') FROM point
        WHERE token = ${token} AND grain = ${grain}::grain AND settled
          AND at BETWEEN ${toInstant(first - DAY)} AND ${toInstant(last + DAY)})
      ON CONFLICT (token, grain, at) DO UPDATE
      SET price = excluded.price, market_cap = excluded.market_cap, volume = excluded.volume,
          settled = excluded.settled
      WHERE NOT point.settled`;
  }

  return {
    /** Everything one answer of the source brought for a token, or none of it. */
    async record(
      what: string,
      token: TokenName,
      holdings: readonly Holding[],
      fetchedAt: number,
    ): Promise<void> {
      await prisma.$transaction([
        ...holdings.map((holding) => writePoints(token, holding)),
        ...holdings.flatMap(({ grain, covers }) =>
          covers ? [prisma.$executeRaw(addCoverage(token, grain, [covers]))] : [],
        ),
        prisma.$executeRaw(bumpRefresh(what, fetchedAt)),
      ]);
    },

    /** The latest prices of one answer, each kept as points too. */
    async recordLatest(
      what: string,
      rows: readonly (LatestRow & { holdings: readonly Holding[] })[],
      fetchedAt: number,
    ): Promise<void> {
      await prisma.$transaction([
        ...rows.map(
          ({ token, record, at }) => prisma.$executeRaw`
            INSERT INTO latest (token, record, at, fetched_at)
            VALUES (${token}, ${JSON.stringify(record)}::jsonb, ${toInstant(at)}, ${toInstant(fetchedAt)})
            ON CONFLICT (token) DO UPDATE
            SET record = excluded.record, at = excluded.at, fetched_at = excluded.fetched_at`,
        ),
        ...rows.flatMap(({ token, holdings }) => holdings.map((holding) => writePoints(token, holding))),
        prisma.$executeRaw(bumpRefresh(what, fetchedAt)),
      ]);
    },

    /**
     * The samples of a grain from an instant on (thru another, both included), ascending. They come as one JSON text:
     * tens of thousands of rows are read at each start, and one by one that takes four times as long.
     */
    async samples(token: TokenName, grain: Grain, from: number, thru?: number): Promise<ArchivedSample[]> {
      const upTo = thru === undefined ? Prisma.empty : Prisma.sql`AND point.at <= ${toInstant(thru)}`;
      const [row] = await prisma.$queryRaw<{ samples: string | null }[]>`
        SELECT json_agg(json_build_object('at', ${epochMs('point.at')}, 'price', price, 'marketCap', market_cap,
          'volume', volume, 'settled', settled) ORDER BY point.at)::text AS samples FROM point
        WHERE token = ${token} AND grain = ${grain}::grain AND point.at >= ${toInstant(from)} ${upTo}`;
      return JSON.parse(row?.samples ?? '[]') as ArchivedSample[];
    },

    async coverage(): Promise<Coverage[]> {
      const rows = await prisma.$queryRaw<{ token: string; grain: Grain; from: number; thru: number }[]>`
        SELECT token, grain::text, ${epochMs('"from"')} AS "from", ${epochMs('thru')} AS thru FROM coverage`;
      return rows.flatMap(({ token, grain, from, thru }) =>
        isTokenName(token) ? [{ token, grain, span: { from, thru } }] : [],
      );
    },

    async latest(): Promise<LatestRow[]> {
      const rows = await prisma.latest.findMany();
      return rows.flatMap(({ token, record, at, fetchedAt }) =>
        isTokenName(token)
          ? [{ token, record: latestPrice.parse(record), at: at.getTime(), fetchedAt: fetchedAt.getTime() }]
          : [],
      );
    },

    /** What is held, counted by the database: for an operator's eyes. */
    async summary(): Promise<HoldingSummary[]> {
      const rows = await prisma.$queryRaw<
        { token: string; grain: Grain; from: number; thru: number; points: number }[]
      >`
        SELECT token, grain::text, ${epochMs('min(at)')} AS "from", ${epochMs('max(at)')} AS thru,
          count(*)::int AS points
        FROM point GROUP BY token, grain ORDER BY token, grain`;
      return rows.flatMap(({ token, ...rest }) => (isTokenName(token) ? [{ token, ...rest }] : []));
    },
  };
}

export type ArchiveStore = ReturnType<typeof createArchiveStore>;
