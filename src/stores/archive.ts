import type { Grain } from '../domain/grain.ts';
import { type LatestPrice, latestPrice } from '../domain/records.ts';
import type { Sample } from '../domain/sample.ts';
import type { Span } from '../domain/span.ts';
import { isTokenName, type TokenName } from '../domain/token.ts';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';

/** Samples of one grain, and the span of which the source has now told all it knows. */
export type Holding = { grain: Grain; samples: readonly ArchivedSample[]; covers?: Span };
export type ArchivedSample = Sample & { settled: boolean };
export type Coverage = { token: TokenName; grain: Grain; span: Span };
export type LatestRow = { token: TokenName; record: LatestPrice; at: number; fetchedAt: number };
export type HoldingSummary = { token: TokenName; grain: Grain; from: number; thru: number; points: number };

type ArchivedRow = Omit<ArchivedSample, 'marketCap'> & { market_cap: number | null };

/** Rows travel as one JSON text: the server casts each figure from its own digits, so none is lost on the way. */
const given = (samples: readonly ArchivedSample[]) => Prisma.sql`
  SELECT to_timestamp(at / 1000)::timestamptz(3) AS at, price, market_cap, volume, settled
  FROM json_to_recordset(${JSON.stringify(
    samples.map(({ marketCap, ...sample }) => ({ ...sample, market_cap: marketCap })),
  )}::json) AS row(at float8, price float8, market_cap float8, volume float8, settled boolean)`;

const toInstant = (ms: number) => Prisma.sql`${new Date(ms).toISOString()}::timestamptz`;
const epochMs = (column: string) => Prisma.raw(`(extract(epoch FROM ${column}) * 1000)::float8`);

/** The rows of `Point`, `Coverage`, `Latest` and `Refresh`: what the service knows of the market. */
export function createArchiveStore(prisma: PrismaClient) {
  /**
   * A chart answer replaces the unsettled rows of the span it covers and adds what is new. A settled row never
   * changes, and neither does another sample come beside it in its slot: an aggregator that gives an old slot
   * another second than it did before would otherwise double it.
   */
  function writePoints(token: TokenName, { grain, samples, covers }: Holding) {
    const unsettledOfSpan = covers
      ? Prisma.sql`DELETE FROM point WHERE token = ${token} AND grain = ${grain}::grain AND NOT settled
          AND at BETWEEN ${toInstant(covers.from)} AND ${toInstant(covers.thru)}
          AND at NOT IN (SELECT at FROM given)`
      : Prisma.sql`SELECT 1`;
    return prisma.$executeRaw`
      WITH given AS (${given(samples)}), gone AS (${unsettledOfSpan})
      INSERT INTO point (token, grain, at, price, market_cap, volume, settled)
      SELECT ${token}, ${grain}::grain, at, price, market_cap, volume, settled FROM given
      WHERE NOT EXISTS (
        SELECT 1 FROM point p
        WHERE p.token = ${token} AND p.grain = ${grain}::grain AND p.settled AND p.at <> given.at
          AND p.at >= date_trunc(${grain}, given.at, 'UTC')
          AND p.at < date_trunc(${grain}, given.at, 'UTC') + ('1 ' || ${grain})::interval)
      ON CONFLICT (token, grain, at) DO UPDATE
      SET price = excluded.price, market_cap = excluded.market_cap, volume = excluded.volume,
          settled = excluded.settled
      WHERE NOT point.settled`;
  }

  /** Spans that touch become one. Two processes may write at once: what then overlaps is united when it is read. */
  function writeCoverage(token: TokenName, grain: Grain, { from, thru }: Span) {
    return prisma.$executeRaw`
      WITH touching AS (
        DELETE FROM coverage WHERE token = ${token} AND grain = ${grain}::grain
          AND "from" <= ${toInstant(thru + 1)} AND thru >= ${toInstant(from - 1)}
        RETURNING "from", thru)
      INSERT INTO coverage (token, grain, "from", thru)
      SELECT ${token}, ${grain}::grain,
        least(${toInstant(from)}, min("from")), greatest(${toInstant(thru)}, max(thru)) FROM touching
      ON CONFLICT (token, grain, "from") DO UPDATE SET thru = greatest(coverage.thru, excluded.thru)`;
  }

  function writeRefresh(what: string, fetchedAt: number) {
    return prisma.$executeRaw`
      INSERT INTO refresh (what, fetched_at, version) VALUES (${what}, ${toInstant(fetchedAt)}, 1)
      ON CONFLICT (what) DO UPDATE SET fetched_at = excluded.fetched_at, version = refresh.version + 1,
        holder = NULL, until = NULL`;
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
        ...holdings.flatMap(({ grain, covers }) => (covers ? [writeCoverage(token, grain, covers)] : [])),
        writeRefresh(what, fetchedAt),
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
        writeRefresh(what, fetchedAt),
      ]);
    },

    /** The samples of a grain from an instant on (thru another, both included), ascending. */
    async samples(token: TokenName, grain: Grain, from: number, thru?: number): Promise<ArchivedSample[]> {
      const upTo = thru === undefined ? Prisma.empty : Prisma.sql`AND at <= ${toInstant(thru)}`;
      const rows = await prisma.$queryRaw<ArchivedRow[]>`
        SELECT ${epochMs('at')} AS at, price, market_cap, volume, settled FROM point
        WHERE token = ${token} AND grain = ${grain}::grain AND at >= ${toInstant(from)} ${upTo}
        ORDER BY point.at`;
      return rows.map(({ market_cap, ...row }) => ({ ...row, marketCap: market_cap }));
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
