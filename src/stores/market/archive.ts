import { DAY } from '#domain/clock';
import type { Interval } from '#domain/market/interval';
import { isPlausible } from '#domain/market/plausible-sample';
import {
  isMarketSource,
  MARKET_SOURCES,
  type MarketSourceName,
  sourcesBefore,
} from '#domain/market/sources/provenance';
import type { Span } from '#domain/market/span';
import type { TokenName } from '#domain/market/token';
import { type LatestPrice, latestPrice } from '#domain/records';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { LatestModel } from '#generated/prisma/models';
import {
  type ArchivedSample,
  addCoverage,
  bumpRefresh,
  type Coverage,
  epochMs,
  firstInstants,
  isOneOf,
  type LeftAside,
  lockPoints,
  oneLeftAside,
  plausiblePoint,
  readCoverage,
  type Teller,
  toInstant,
} from './archive-sql.ts';
import { type SeriesUpdate, writePoints } from './write-points.ts';

export type { Coverage } from './archive-sql.ts';
export type { SeriesUpdate } from './write-points.ts';

export type LatestRow = {
  token: TokenName;
  source: MarketSourceName;
  record: LatestPrice;
  at: number;
  fetchedAt: number;
};
/** What is stored of one series from one source. */
export type SeriesSummary = {
  token: TokenName;
  interval: Interval;
  source: MarketSourceName;
  from: number;
  thru: number;
  points: number;
};

/** A sample as it comes from the database: an array, since names in each would be half of the text. */
type SampleText = [
  at: number,
  price: number | null,
  marketCap: number | null,
  volume: number | null,
  settled: boolean,
  source: MarketSourceName,
];

/** Undefined for a source that is not served and for a price that cannot be true. */
function readLatest(
  { token, source, record: stored, at, fetchedAt }: LatestModel,
  times: Span,
): LatestRow | undefined {
  const { data: record } = latestPrice.safeParse(stored);
  if (!isMarketSource(source) || !record) return undefined;
  const row = { token, source, record, at: at.getTime(), fetchedAt: fetchedAt.getTime() };
  return isPlausible({ at: row.at, price: record.current_price }, times) ? row : undefined;
}

/**
 * The market archive: the rows of `Point`, `Coverage`, `Latest` and `Refresh`.
 * @param line the sources of prices in their order: what one tells gives way to what those before it tell
 */
export function createArchiveStore(prisma: PrismaClient, line: readonly MarketSourceName[] = MARKET_SOURCES) {
  const tellerOf = (source: MarketSourceName): Teller => ({ source, before: sourcesBefore(source, line) });

  /**
   * Of two sources that write at once the later one in the line would not see what the other covers: it waits. Of one
   * source two writers do each other no harm.
   */
  const inTurn = ({ before }: Teller) => (before.length > 0 ? [prisma.$executeRaw(lockPoints)] : []);

  return {
    /** Stores all that one answer of a source brought for a token, in one transaction. */
    async record(
      source: MarketSourceName,
      what: string,
      token: TokenName,
      updates: readonly SeriesUpdate[],
      fetchedAt: number,
    ): Promise<void> {
      const teller = tellerOf(source);
      await prisma.$transaction([
        ...inTurn(teller),
        ...updates.map((update) => prisma.$executeRaw(writePoints(token, teller, update))),
        ...updates.flatMap(({ interval, covers }) =>
          covers ? [prisma.$executeRaw(addCoverage(token, interval, teller, [covers]))] : [],
        ),
        prisma.$executeRaw(bumpRefresh(what, fetchedAt)),
      ]);
    },

    /** The latest prices of one answer of a source, each kept as points too. */
    async recordLatest(
      source: MarketSourceName,
      what: string,
      rows: readonly (Omit<LatestRow, 'source'> & { updates: readonly SeriesUpdate[] })[],
      fetchedAt: number,
    ): Promise<void> {
      const teller = tellerOf(source);
      await prisma.$transaction([
        ...inTurn(teller),
        ...rows.map(
          ({ token, record, at }) => prisma.$executeRaw`
            INSERT INTO source_latest (token, source, record, at, fetched_at)
            VALUES (${token}, ${source}, ${JSON.stringify(record)}::jsonb, ${toInstant(at)}, ${toInstant(fetchedAt)})
            ON CONFLICT (token, source) DO UPDATE
            SET record = excluded.record, at = excluded.at, fetched_at = excluded.fetched_at`,
        ),
        ...rows.flatMap(({ token, updates }) =>
          updates.map((update) => prisma.$executeRaw(writePoints(token, teller, update))),
        ),
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
        SELECT json_agg(json_build_array(${epochMs('point.at')}, price, market_cap, volume,
          settled AND NOT provisional, source) ORDER BY point.at)::text AS samples
        FROM (SELECT * FROM point WHERE token = ${token} AND grain = ${interval}::grain
          AND ${isOneOf('source', MARKET_SOURCES)} AND ${plausiblePoint(span)} ${limit}) AS point`;
      const rows = JSON.parse(row?.samples ?? '[]') as SampleText[];
      return rows.map(([at, price, marketCap, volume, settled, source]) => ({
        at,
        price,
        marketCap,
        volume,
        settled,
        source,
      }));
    },

    coverage: (): Promise<Coverage[]> => readCoverage(prisma, 'source_coverage'),

    /** The plausible latest prices, of each source: those whose times lie in a span. */
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
        FROM source_coverage WHERE "from" < ${toInstant(times.from)} OR thru > ${toInstant(times.thru + DAY)}
        GROUP BY token ORDER BY token`;
      const latest = (await prisma.latest.findMany())
        .filter((row) => !readLatest(row, times))
        .map(({ token, at }) => oneLeftAside(token, 'latest', at));
      return [...points, ...spans, ...latest];
    },

    /** The plausible points of each series and source, counted by the database. */
    async summary(times: Span): Promise<SeriesSummary[]> {
      const rows = await prisma.$queryRaw<
        { token: string; interval: Interval; source: string; from: number; thru: number; points: number }[]
      >`
        SELECT token, grain::text AS interval, source, ${epochMs('min(at)')} AS "from", ${epochMs('max(at)')} AS thru,
          count(*)::int AS points
        FROM point WHERE ${plausiblePoint(times)} GROUP BY token, grain, source ORDER BY token, grain, source`;
      return rows.flatMap(({ token, source, ...rest }) =>
        isMarketSource(source) ? [{ token, source, ...rest }] : [],
      );
    },
  };
}

export type ArchiveStore = ReturnType<typeof createArchiveStore>;
