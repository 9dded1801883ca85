import type { TokenName } from '#catalogue/token';
import type { Span } from '#core/clock';
import { DAY } from '#core/clock';
import { epochMs, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Interval } from '#prices/model/interval';
import { isMarketSource, type MarketSourceName, preferredTo } from '#prices/model/market-sources';
import type { Sample } from '#prices/model/sample';

/*
 * SQL that more than one store of the archive uses.
 */

/** A row of the archive: what was told, whether it will ever change, and who told it. */
export type ArchivedSample = Sample & { settled: boolean; source: MarketSourceName };

/** A span of a series about which a source has told all it knows. */
export type Coverage = { token: TokenName; interval: Interval; source: MarketSourceName; span: Span };
/** The coverage of samples, and that of candles. */
type CoverageTable = 'source_coverage' | 'candle_coverage';

/** Whether a row's source is one of these. */
export const isOneOf = (column: string, sources: readonly MarketSourceName[]) =>
  Prisma.sql`${Prisma.raw(column)} = ANY (${[...sources]}::text[])`;

/** Whether a row is of one of these tokens. */
export const isTokenOf = (tokens: readonly TokenName[]) => Prisma.sql`token = ANY (${[...tokens]}::text[])`;

/** Whether a point can be true. PostgreSQL orders NaN above infinity; a figure that is null is left out. */
export const plausiblePoint = ({ from, thru }: Span) => Prisma.sql`(
  point.at BETWEEN ${toInstant(from)} AND ${toInstant(thru)} AND coalesce(price, 1) > 0
  AND coalesce(least(market_cap, volume), 0) >= 0
  AND coalesce(greatest(price, market_cap, volume), 0) < 'Infinity')`;

export const firstInstants = (column: string) =>
  Prisma.raw(`(array_agg(replace((${column} AT TIME ZONE 'UTC')::text, ' ', 'T') || 'Z' ORDER BY ${column}))[1:10]`);

/** Rows go out as one JSON text: the server casts each figure from its own digits, so none is rounded. */
export const given = (samples: readonly (Sample & { settled: boolean })[]) => Prisma.sql`
  SELECT to_timestamp(at / 1000)::timestamptz(3) AS at, price, market_cap, volume, settled
  FROM json_to_recordset(${JSON.stringify(
    samples.map(({ at, price, marketCap, volume, settled }) => ({
      at,
      price,
      market_cap: marketCap,
      volume,
      settled,
    })),
  )}::json) AS row(at float8, price float8, market_cap float8, volume float8, settled boolean)`;

/** The row of `Refresh` that stands for a table as a whole: a lock on it is one that every PostgreSQL has. */
const lockOf = (table: 'point' | 'candle') => `writes:${table}`;

/** Other writers of a table wait until the transaction is over, readers do not. */
export const lockRows = (table: 'point' | 'candle') => Prisma.sql`
  INSERT INTO refresh (what) VALUES (${lockOf(table)}) ON CONFLICT (what) DO UPDATE SET what = excluded.what`;

/**
 * Who has locked a table is waited for; others that share it are not. The row is there before it is shared: one that
 * another transaction inserts is waited for.
 */
export const shareRows = (table: 'point' | 'candle') => [
  Prisma.sql`INSERT INTO refresh (what) VALUES (${lockOf(table)}) ON CONFLICT DO NOTHING`,
  Prisma.sql`SELECT FROM refresh WHERE what = ${lockOf(table)} FOR SHARE`,
];

export const lockPoints = lockRows('point');

/**
 * Adds spans to what a source covers of a series. What a source preferred to it covers is left out, and what others
 * cover there ends: each instant is one source's. Spans that touch become one. Two processes may write at once: the
 * overlap that leaves is united when it is read.
 *
 * @param table that of samples, or of candles
 */
export function addCoverage(
  token: TokenName,
  interval: Interval,
  source: MarketSourceName,
  spans: readonly Span[],
  table: CoverageTable = 'source_coverage',
) {
  const coverage = Prisma.raw(table);
  const preferred = preferredTo(source);
  return Prisma.sql`
  WITH added AS (
    SELECT coalesce(range_agg(tstzrange(to_timestamp("from" / 1000)::timestamptz(3),
        to_timestamp(thru / 1000)::timestamptz(3) + interval '1 ms')), '{}')
      - coalesce((SELECT range_agg(tstzrange("from", thru + interval '1 ms')) FROM ${coverage}
        WHERE token = ${token} AND grain = ${interval}::grain AND ${isOneOf('source', preferred)}), '{}') AS spans
    FROM json_to_recordset(${JSON.stringify(spans)}::json) AS row("from" float8, thru float8)),
  touching AS (
    DELETE FROM ${coverage} c USING added
    WHERE token = ${token} AND grain = ${interval}::grain AND NOT ${isOneOf('source', preferred)}
      AND tstzrange(c."from" - interval '1 ms', c.thru + interval '1 ms', '[]') && added.spans
    RETURNING source, "from", thru),
  united AS (
    SELECT ${source}::text AS source, unnest(range_agg(span)) AS span FROM (
      SELECT unnest(spans) AS span FROM added
      UNION ALL SELECT tstzrange("from", thru + interval '1 ms') FROM touching WHERE source = ${source}) AS every
    UNION ALL
    SELECT source, unnest(range_agg(tstzrange("from", thru + interval '1 ms')) - (SELECT spans FROM added))
    FROM touching WHERE source <> ${source} GROUP BY source)
  INSERT INTO ${coverage} AS known (token, grain, source, "from", thru)
  SELECT ${token}, ${interval}::grain, source, lower(span), upper(span) - interval '1 ms' FROM united
  ON CONFLICT (token, grain, source, "from") DO UPDATE SET thru = greatest(known.thru, excluded.thru)`;
}

/**
 * What each source covers of each series.
 * @param tokens of which; of all where left out
 */
export async function readCoverage(
  prisma: PrismaClient,
  table: CoverageTable,
  tokens?: readonly TokenName[],
): Promise<Coverage[]> {
  const rows = await prisma.$queryRaw<
    { token: string; interval: Interval; source: string; from: number; thru: number }[]
  >`
    SELECT token, grain::text AS interval, source, ${epochMs('"from"')} AS "from", ${epochMs('thru')} AS thru
    FROM ${Prisma.raw(table)} WHERE ${tokens ? isTokenOf(tokens) : Prisma.sql`true`}`;
  return rows.flatMap(({ token, interval, source, from, thru }) =>
    isMarketSource(source) ? [{ token, interval, source, span: { from, thru } }] : [],
  );
}

/** What is stored of one series from one source. */
export type SeriesSummary = {
  token: TokenName;
  interval: Interval;
  source: MarketSourceName;
  from: number;
  thru: number;
  points: number;
};

/** The rows of each series and source that a condition holds for, counted by the database. */
export async function readSummary(
  prisma: PrismaClient,
  table: 'point' | 'candle',
  condition: Prisma.Sql,
): Promise<SeriesSummary[]> {
  const rows = await prisma.$queryRaw<(Omit<SeriesSummary, 'source'> & { source: string })[]>`
    SELECT token, grain::text AS interval, source, ${epochMs('min(at)')} AS "from", ${epochMs('max(at)')} AS thru,
      count(*)::int AS points
    FROM ${Prisma.raw(table)} WHERE ${condition} GROUP BY token, grain, source ORDER BY token, grain, source`;
  return rows.flatMap(({ source, ...rest }) => (isMarketSource(source) ? [{ source, ...rest }] : []));
}

/**
 * Which unsettled rows an answer takes the place of: those of the span that it covers. A day row of another time than
 * midnight is an exception, since the source may not have told it: it stays until its date has a row in an answer,
 * wherever the span is.
 */
export const givesWay = (interval: Interval, { from, thru }: Span) => {
  const isCovered = Prisma.sql`at BETWEEN ${toInstant(from)} AND ${toInstant(thru)}`;
  if (interval !== 'day') return isCovered;
  return Prisma.sql`(
    ${isCovered} AND at < date_trunc('day', at, 'UTC') + interval '1 hour'
    OR date_trunc('day', at, 'UTC') IN (SELECT date_trunc('day', at, 'UTC') FROM given))`;
};

/** The tokens of a table, in the index' own order: no row of it is read for them. */
export const tokensOf = (table: Prisma.Sql) => Prisma.sql`(
  WITH RECURSIVE tokens AS (
    SELECT min(token) AS token FROM ${table}
    UNION ALL SELECT (SELECT min(token) FROM ${table} WHERE token > tokens.token) FROM tokens WHERE token IS NOT NULL)
  SELECT token FROM tokens WHERE token IS NOT NULL)`;

/** Samples of one interval, ascending; `covers` is the span that is complete with them. */
export type SeriesUpdate = {
  interval: Interval;
  samples: readonly (Sample & { settled: boolean })[];
  covers?: Span;
};

/**
 * Writes what an answer of a source has of a series. It replaces the unsettled and the provisional rows of the span that
 * it covers and adds what is new. A settled row never changes, and no second sample is stored in its slot: an aggregator
 * may give an old slot another second than it did before. What a source preferred to this one has told stays, and nothing is
 * added to a span that such a source covers.
 *
 * The slots that are taken are looked up in a hash (`NOT IN` without a correlation): an embedded database has no
 * statistics, and without them a correlated look-up reads the whole series for each row.
 */
export function writePoints(token: TokenName, source: MarketSourceName, update: SeriesUpdate): Prisma.Sql {
  const preferred = preferredTo(source);
  const { interval, covers } = update;
  const provisional = preferred.length > 0;
  // What is provisional may change at any time.
  const samples = update.samples.map((sample) => ({ ...sample, settled: sample.settled && !provisional }));
  const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
  const mayGo = Prisma.sql`(NOT point.settled OR point.provisional) AND NOT ${isOneOf('point.source', preferred)}`;
  const ofSeries = Prisma.sql`token = ${token} AND grain = ${interval}::grain`;
  const gone = covers
    ? Prisma.sql`DELETE FROM point WHERE ${ofSeries} AND ${mayGo}
        AND ${givesWay(interval, covers)} AND at NOT IN (SELECT at FROM written)`
    : Prisma.sql`SELECT 1`;
  const isCovered = provisional
    ? Prisma.sql`EXISTS (SELECT FROM source_coverage c
        WHERE ${ofSeries} AND ${isOneOf('c.source', preferred)} AND given.at BETWEEN c."from" AND c.thru)`
    : Prisma.sql`false`;
  return Prisma.sql`
    WITH given AS (${given(samples)}),
    written AS (
      SELECT * FROM given WHERE NOT ${isCovered} AND date_trunc(${interval}, at, 'UTC') NOT IN (
        SELECT date_trunc(${interval}, at, 'UTC') FROM point WHERE ${ofSeries} AND NOT (${mayGo})
          AND at BETWEEN ${toInstant(first - DAY)} AND ${toInstant(last + DAY)})),
    gone AS (${gone})
    INSERT INTO point (token, grain, at, price, market_cap, volume, settled, source, provisional)
    SELECT ${token}, ${interval}::grain, at, price, market_cap, volume, settled, ${source}, ${provisional}::boolean
    FROM written
    ON CONFLICT (token, grain, at) DO UPDATE
    SET price = excluded.price, market_cap = excluded.market_cap, volume = excluded.volume,
      settled = excluded.settled, source = excluded.source, provisional = excluded.provisional
    WHERE ${mayGo}`;
}
