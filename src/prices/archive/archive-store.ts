import type { TokenName } from '#catalogue/token';
import { DAY, type Span } from '#core/clock';
import { epochMs, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Fetch } from '#prices/archive/fetch-names';
import { type LatestRow, readLatest, writeLatest, writeQuotes } from '#prices/archive/latest-store';
import type { Interval } from '#prices/model/interval';
import { MARKET_SOURCES, type MarketSourceName, preferredTo } from '#prices/model/market-sources';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import { type ImplausibleRows, implausibleRow } from '#upstream/plausible';
import {
  type ArchivedSample,
  addCoverage,
  type Coverage,
  firstInstants,
  isOneOf,
  isTokenOf,
  lockPoints,
  plausiblePoint,
  readCoverage,
  readSummary,
  type SeriesSummary,
  type SeriesUpdate,
  shareRows,
  tokensOf,
  writePoints,
} from './archive-sql-store.ts';

export type { LatestRow } from '#prices/archive/latest-store';
export type { Coverage, SeriesSummary, SeriesUpdate } from './archive-sql-store.ts';

/** A sample as an array: member names would be half of the text. */
type SampleText = [
  at: number,
  price: number | null,
  marketCap: number | null,
  volume: number | null,
  settled: boolean,
  source: MarketSourceName,
];

const toSample = ([at, price, marketCap, volume, settled, source]: SampleText): ArchivedSample => ({
  at,
  price,
  marketCap,
  volume,
  settled,
  source,
});

/** Returns samples as one JSON text: tens of thousands of separate rows take four times as long. */
const sampleTexts = Prisma.sql`json_agg(json_build_array(${epochMs('point.at')}, price, market_cap, volume,
  settled AND NOT provisional, source) ORDER BY point.at)::text AS samples`;
const toSamples = (text: string | null | undefined) => (JSON.parse(text ?? '[]') as SampleText[]).map(toSample);

export function createArchiveStore(prisma: PrismaClient) {
  /**
   * The fallback takes the lock exclusively. Otherwise, it would miss coverage that the primary source is writing. The
   * primary source's writes share the lock.
   */
  const inTurn = (source: MarketSourceName) =>
    (preferredTo(source).length > 0 ? [lockPoints] : shareRows('point')).map((lock) => prisma.$executeRaw(lock));

  return {
    /** Stores a response for a token in one transaction. */
    async record(
      source: MarketSourceName,
      what: string,
      token: TokenName,
      updates: readonly SeriesUpdate[],
      fetchedAt: number,
    ): Promise<void> {
      await prisma.$transaction([
        ...inTurn(source),
        ...updates.map((update) => prisma.$executeRaw(writePoints(token, source, update))),
        ...updates.flatMap(({ interval, covers }) =>
          covers ? [prisma.$executeRaw(addCoverage(token, interval, source, [covers]))] : [],
        ),
        prisma.$executeRaw(bumpVersion(what, fetchedAt)),
      ]);
    },

    /** Stores a response's latest prices, and each of them also as a point. */
    async recordLatest(
      source: MarketSourceName,
      what: Fetch,
      rows: readonly Omit<LatestRow, 'source'>[],
      fetchedAt: number,
    ): Promise<void> {
      await prisma.$transaction([
        ...inTurn(source),
        prisma.$executeRaw(writeLatest(source, rows)),
        ...writeQuotes(source, rows).map((write) => prisma.$executeRaw(write)),
        prisma.$executeRaw(bumpVersion(what, fetchedAt)),
      ]);
    },

    /** The plausible samples of an interval in a span, ascending; the first `most`, or all. */
    async samples(token: TokenName, interval: Interval, span: Span, most?: number): Promise<ArchivedSample[]> {
      const limit = most === undefined ? Prisma.empty : Prisma.sql`ORDER BY point.at LIMIT ${most}`;
      const [row] = await prisma.$queryRaw<{ samples: string | null }[]>`
        SELECT ${sampleTexts}
        FROM (SELECT * FROM point WHERE token = ${token} AND grain = ${interval}::grain
          AND ${isOneOf('source', MARKET_SOURCES)} AND ${plausiblePoint(span)} ${limit}) AS point`;
      return toSamples(row?.samples);
    },

    /** The plausible samples of several series within `times`, each from its own instant on, in the given order. */
    async samplesFrom(series: readonly { token: TokenName; interval: Interval; from: number }[], times: Span) {
      const wanted = JSON.stringify(series.map((one, place) => ({ place, ...one })));
      const rows = await prisma.$queryRaw<{ samples: string | null }[]>`
        SELECT (SELECT ${sampleTexts} FROM point
          WHERE token = wanted.token AND grain = wanted."interval"::grain AND at >= to_timestamp(wanted."from" / 1000)
            AND ${isOneOf('source', MARKET_SOURCES)} AND ${plausiblePoint(times)})
        FROM json_to_recordset(${wanted}::json) AS wanted(place int, token text, "interval" text, "from" float8)
        ORDER BY place`;
      return rows.map(({ samples }) => toSamples(samples));
    },

    coverage: (tokens?: readonly TokenName[]): Promise<Coverage[]> => readCoverage(prisma, 'source_coverage', tokens),

    /** The plausible latest prices of some tokens, from each source. */
    async latest(tokens: readonly TokenName[], times: Span): Promise<LatestRow[]> {
      const rows = await prisma.latest.findMany({ where: { token: { in: [...tokens] } } });
      return rows.flatMap((row) => readLatest(row, times) ?? []);
    },

    /** Stored rows with a time outside the span or an implausible figure. They are not served. */
    async implausibleRows(times: Span, tokens?: readonly TokenName[]): Promise<ImplausibleRows[]> {
      const isMeant = tokens ? isTokenOf(tokens) : Prisma.sql`true`;
      const points = await prisma.$queryRaw<ImplausibleRows[]>`
        SELECT token, grain::text AS what, count(*)::int AS count,
          ${firstInstants('at')} AS instants
        FROM point WHERE ${isMeant} AND NOT ${plausiblePoint(times)} GROUP BY token, grain ORDER BY token, grain`;
      const spans = await prisma.$queryRaw<ImplausibleRows[]>`
        SELECT token, 'coverage' AS what, count(*)::int AS count,
          ${firstInstants('thru')} AS instants
        FROM source_coverage
        WHERE ${isMeant} AND ("from" < ${toInstant(times.from)} OR thru > ${toInstant(times.thru + DAY)})
        GROUP BY token ORDER BY token`;
      const latest = (await prisma.latest.findMany({ ...(tokens && { where: { token: { in: [...tokens] } } }) }))
        .filter((row) => !readLatest(row, times))
        .map(({ token, at }) => implausibleRow(token, 'latest', at));
      return [...points, ...spans, ...latest];
    },

    /** For each token with points, a number that differs after each change to its points. */
    async changes(): Promise<Map<TokenName, number>> {
      const rows = await prisma.$queryRaw<{ token: TokenName; changes: number }[]>`
        SELECT token, sum(change)::float8 AS changes FROM (
          SELECT token, 0 AS change FROM ${tokensOf(Prisma.sql`point`)} AS tokens
          UNION ALL SELECT token, extract(epoch FROM fetched_at) * 1000 FROM source_latest
          UNION ALL SELECT substring(what FROM '[^:]*$'), version FROM refresh
            WHERE what ~ '^(chart|hours|daily|import|purge|kraken):') AS change
        GROUP BY token`;
      return new Map(rows.map(({ token, changes }) => [token, changes]));
    },

    /** The plausible points of each series and source, counted by the database. */
    summary: (times: Span, tokens?: readonly TokenName[]): Promise<SeriesSummary[]> => {
      const isMeant = tokens ? isTokenOf(tokens) : Prisma.sql`true`;
      return readSummary(prisma, 'point', Prisma.sql`${isMeant} AND ${plausiblePoint(times)}`);
    },
  };
}

export type ArchiveStore = ReturnType<typeof createArchiveStore>;
