import { DAY } from '#domain/clock';
import type { Interval } from '#domain/market/interval';
import { isPlausible } from '#domain/market/plausible-sample';
import type { Span } from '#domain/market/span';
import { isTokenName, type TokenName } from '#domain/market/token';
import { type LatestPrice, latestPrice } from '#domain/records';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { LatestModel } from '#generated/prisma/models';
import {
  type ArchivedSample,
  addCoverage,
  bumpRefresh,
  epochMs,
  firstInstants,
  given,
  givesWay,
  type LeftAside,
  oneLeftAside,
  plausiblePoint,
  toInstant,
} from './archive-sql.ts';

/** Samples of one interval, ascending; `covers` is the span that is complete with them. */
export type SeriesUpdate = { interval: Interval; samples: readonly ArchivedSample[]; covers?: Span };
export type Coverage = { token: TokenName; interval: Interval; span: Span };
export type LatestRow = { token: TokenName; record: LatestPrice; at: number; fetchedAt: number };
export type SeriesSummary = {
  token: TokenName;
  interval: Interval;
  from: number;
  thru: number;
  points: number;
};

/** Undefined for a token that is not served and for a price that cannot be true. */
function readLatest(
  { token, record: stored, at, fetchedAt }: LatestModel,
  times: Span,
): LatestRow | undefined {
  const { data: record } = latestPrice.safeParse(stored);
  if (!isTokenName(token) || !record) return undefined;
  const row = { token, record, at: at.getTime(), fetchedAt: fetchedAt.getTime() };
  return isPlausible({ at: row.at, price: record.current_price }, times) ? row : undefined;
}

/** The market archive: the rows of `Point`, `Coverage`, `Latest` and `Refresh`. */
export function createArchiveStore(prisma: PrismaClient) {
  /**
   * A chart answer replaces the unsettled rows of the span it covers and adds what is new. A settled row never
   * changes, and no second sample is stored in its slot: an aggregator may give an old slot another second than it
   * did before.
   *
   * The settled slots are looked up in a hash (`NOT IN` without a correlation): an embedded database has no
   * statistics, and without them a correlated look-up reads the whole series for each row.
   */
  function writePoints(token: TokenName, { interval, samples, covers }: SeriesUpdate) {
    const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
    const unsettledOfSpan = covers
      ? Prisma.sql`DELETE FROM point WHERE token = ${token} AND grain = ${interval}::grain AND NOT settled
          AND ${givesWay(interval, covers)} AND at NOT IN (SELECT at FROM given)`
      : Prisma.sql`SELECT 1`;
    return prisma.$executeRaw`
      WITH given AS (${given(samples)}), gone AS (${unsettledOfSpan})
      INSERT INTO point (token, grain, at, price, market_cap, volume, settled)
      SELECT ${token}, ${interval}::grain, at, price, market_cap, volume, settled FROM given
      WHERE date_trunc(${interval}, at, 'UTC') NOT IN (
        SELECT date_trunc(${interval}, at, 'UTC') FROM point
        WHERE token = ${token} AND grain = ${interval}::grain AND settled
          AND at BETWEEN ${toInstant(first - DAY)} AND ${toInstant(last + DAY)})
      ON CONFLICT (token, grain, at) DO UPDATE
      SET price = excluded.price, market_cap = excluded.market_cap, volume = excluded.volume,
          settled = excluded.settled
      WHERE NOT point.settled`;
  }

  return {
    /** Stores all that one answer brought for a token, in one transaction. */
    async record(
      what: string,
      token: TokenName,
      updates: readonly SeriesUpdate[],
      fetchedAt: number,
    ): Promise<void> {
      await prisma.$transaction([
        ...updates.map((update) => writePoints(token, update)),
        ...updates.flatMap(({ interval, covers }) =>
          covers ? [prisma.$executeRaw(addCoverage(token, interval, [covers]))] : [],
        ),
        prisma.$executeRaw(bumpRefresh(what, fetchedAt)),
      ]);
    },

    /** The latest prices of one answer, each kept as points too. */
    async recordLatest(
      what: string,
      rows: readonly (LatestRow & { updates: readonly SeriesUpdate[] })[],
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
        ...rows.flatMap(({ token, updates }) => updates.map((update) => writePoints(token, update))),
        prisma.$executeRaw(bumpRefresh(what, fetchedAt)),
      ]);
    },

    /**
     * The plausible samples of an interval in a span, ascending. They come as one JSON text: a start reads tens of
     * thousands of rows, and row by row that takes four times as long.
     * @param most how many of the first; all where left out
     */
    async samples(
      token: TokenName,
      interval: Interval,
      span: Span,
      most?: number,
    ): Promise<ArchivedSample[]> {
      const limit = most === undefined ? Prisma.empty : Prisma.sql`ORDER BY point.at LIMIT ${most}`;
      const [row] = await prisma.$queryRaw<{ samples: string | null }[]>`
        SELECT json_agg(json_build_object('at', ${epochMs('point.at')}, 'price', price, 'marketCap', market_cap,
          'volume', volume, 'settled', settled) ORDER BY point.at)::text AS samples
        FROM (SELECT * FROM point
          WHERE token = ${token} AND grain = ${interval}::grain AND ${plausiblePoint(span)} ${limit}) AS point`;
      return JSON.parse(row?.samples ?? '[]') as ArchivedSample[];
    },

    async coverage(): Promise<Coverage[]> {
      const rows = await prisma.$queryRaw<
        { token: string; interval: Interval; from: number; thru: number }[]
      >`
        SELECT token, grain::text AS interval, ${epochMs('"from"')} AS "from", ${epochMs('thru')} AS thru FROM coverage`;
      return rows.flatMap(({ token, interval, from, thru }) =>
        isTokenName(token) ? [{ token, interval, span: { from, thru } }] : [],
      );
    },

    /** The plausible latest prices: those whose times lie in a span. */
    async latest(times: Span): Promise<LatestRow[]> {
      const rows = await prisma.latest.findMany();
      return rows.flatMap((row) => readLatest(row, times) ?? []);
    },

    /** Stored rows that cannot be true: a time outside of the span, or a figure that is none. They are not served. */
    async leftAside(times: Span): Promise<LeftAside[]> {
      const points = await prisma.$queryRaw<LeftAside[]>`
        SELECT token, grain::text AS what, count(*)::int AS count,
          ${firstInstants('at')} AS instants
        FROM point WHERE NOT ${plausiblePoint(times)} GROUP BY token, grain ORDER BY token, grain`;
      const spans = await prisma.$queryRaw<LeftAside[]>`
        SELECT token, 'coverage' AS what, count(*)::int AS count,
          ${firstInstants('thru')} AS instants
        FROM coverage WHERE "from" < ${toInstant(times.from)} OR thru > ${toInstant(times.thru + DAY)}
        GROUP BY token ORDER BY token`;
      const latest = (await prisma.latest.findMany())
        .filter((row) => isTokenName(row.token) && !readLatest(row, times))
        .map(({ token, at }) => oneLeftAside(token, 'latest', at));
      return [...points, ...spans, ...latest];
    },

    /** The plausible points of each series, counted by the database. */
    async summary(times: Span): Promise<SeriesSummary[]> {
      const rows = await prisma.$queryRaw<
        { token: string; interval: Interval; from: number; thru: number; points: number }[]
      >`
        SELECT token, grain::text AS interval, ${epochMs('min(at)')} AS "from", ${epochMs('max(at)')} AS thru,
          count(*)::int AS points
        FROM point WHERE ${plausiblePoint(times)} GROUP BY token, grain ORDER BY token, grain`;
      return rows.flatMap(({ token, ...rest }) => (isTokenName(token) ? [{ token, ...rest }] : []));
    },
  };
}

export type ArchiveStore = ReturnType<typeof createArchiveStore>;
