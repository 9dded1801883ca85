import type { TokenName } from '#catalogue/token';
import { DAY, type Span } from '#core/clock';
import { epochMs, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Interval } from '#prices/model/interval';
import { isMarketSource, type MarketSourceName, preferredTo } from '#prices/model/market-sources';
import type { Sample } from '#prices/model/sample';

/* SQL that several stores of the archive share. */

/** A stored sample, whether it is final, and its source. */
export type ArchivedSample = Sample & { settled: boolean; source: MarketSourceName };

/** A span for which a source has provided all its data. */
export type Coverage = { token: TokenName; interval: Interval; source: MarketSourceName; span: Span };
type CoverageTable = 'source_coverage' | 'candle_coverage';

export const isOneOf = (column: string, sources: readonly MarketSourceName[]) =>
  Prisma.sql`${Prisma.raw(column)} = ANY (${[...sources]}::text[])`;

export const isTokenOf = (tokens: readonly TokenName[]) => Prisma.sql`token = ANY (${[...tokens]}::text[])`;

/** PostgreSQL orders NaN above infinity; null figures are ignored. */
export const plausiblePoint = ({ from, thru }: Span) => Prisma.sql`(
  point.at BETWEEN ${toInstant(from)} AND ${toInstant(thru)} AND coalesce(price, 1) > 0
  AND coalesce(least(market_cap, volume), 0) >= 0
  AND coalesce(greatest(price, market_cap, volume), 0) < 'Infinity')`;

export const firstInstants = (column: string) =>
  Prisma.raw(`(array_agg(replace((${column} AT TIME ZONE 'UTC')::text, ' ', 'T') || 'Z' ORDER BY ${column}))[1:10]`);

/** Rows are sent as one JSON text: the server casts each figure from its digits, so no figure is rounded. */
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

/** The row of `Refresh` that serves as a table lock: every PostgreSQL-compatible database supports row locks. */
const lockOf = (table: 'point' | 'candle') => `writes:${table}`;

/** Other writers of a table wait until the transaction ends; readers do not. */
export const lockRows = (table: 'point' | 'candle') => Prisma.sql`
  INSERT INTO refresh (what) VALUES (${lockOf(table)}) ON CONFLICT (what) DO UPDATE SET what = excluded.what`;

/**
 * Waits for an exclusive lock, but not for others that share the lock. The insert comes first, because a concurrent
 * insert also blocks.
 */
export const shareRows = (table: 'point' | 'candle') => [
  Prisma.sql`INSERT INTO refresh (what) VALUES (${lockOf(table)}) ON CONFLICT DO NOTHING`,
  Prisma.sql`SELECT FROM refresh WHERE what = ${lockOf(table)} FOR SHARE`,
];

export const lockPoints = lockRows('point');

/**
 * Adds spans to a source's coverage of a series. Spans that a preferred source covers are left out, and the added spans
 * are removed from other sources' coverage: each instant belongs to one source. Adjacent spans are merged. Two
 * concurrent writers may leave an overlap, which is merged on reading.
 * @param table coverage of samples, or of candles
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

/** The coverage of each source and series, by default of all tokens. */
export async function readCoverage(prisma: PrismaClient, table: CoverageTable, tokens?: readonly TokenName[]) {
  const rows = await prisma.$queryRaw<
    { token: string; interval: Interval; source: string; from: number; thru: number }[]
  >`
    SELECT token, grain::text AS interval, source, ${epochMs('"from"')} AS "from", ${epochMs('thru')} AS thru
    FROM ${Prisma.raw(table)} WHERE ${tokens ? isTokenOf(tokens) : Prisma.sql`true`}`;
  return rows.flatMap(({ token, interval, source, from, thru }) =>
    isMarketSource(source) ? [{ token, interval, source, span: { from, thru } }] : [],
  );
}

export type SeriesSummary = {
  token: TokenName;
  interval: Interval;
  source: MarketSourceName;
  from: number;
  thru: number;
  points: number;
};

/** The rows that match a condition, counted by the database per series and source. */
export async function readSummary(prisma: PrismaClient, table: 'point' | 'candle', condition: Prisma.Sql) {
  const rows = await prisma.$queryRaw<(Omit<SeriesSummary, 'source'> & { source: string })[]>`
    SELECT token, grain::text AS interval, source, ${epochMs('min(at)')} AS "from", ${epochMs('max(at)')} AS thru,
      count(*)::int AS points
    FROM ${Prisma.raw(table)} WHERE ${condition} GROUP BY token, grain, source ORDER BY token, grain, source`;
  return rows.flatMap(({ source, ...rest }) => (isMarketSource(source) ? [{ source, ...rest }] : []));
}

/**
 * Day rows at other times than midnight, possibly of other sources, remain until a response has a row for their date.
 */
const isSuperseded = (interval: Interval, { from, thru }: Span) => {
  const isCovered = Prisma.sql`at BETWEEN ${toInstant(from)} AND ${toInstant(thru)}`;
  if (interval !== 'day') return isCovered;
  return Prisma.sql`(
    ${isCovered} AND at < date_trunc('day', at, 'UTC') + interval '1 hour'
    OR date_trunc('day', at, 'UTC') IN (SELECT date_trunc('day', at, 'UTC') FROM given))`;
};

/** The tokens in a table, found by skipping through the index, without reading rows. */
export const tokensOf = (table: Prisma.Sql) => Prisma.sql`(
  WITH RECURSIVE tokens AS (
    SELECT min(token) AS token FROM ${table}
    UNION ALL SELECT (SELECT min(token) FROM ${table} WHERE token > tokens.token) FROM tokens WHERE token IS NOT NULL)
  SELECT token FROM tokens WHERE token IS NOT NULL)`;

/** Samples of one interval, ascending; `covers` is the span for which they are complete. */
export type SeriesUpdate = { interval: Interval; samples: readonly (Sample & { settled: boolean })[]; covers?: Span };

/**
 * Writes a response's samples of a series: replaces unsettled and provisional rows of the covered span and adds new
 * rows. A settled row never changes, and its slot gets no second sample: CoinGecko may report an old slot at a
 * different second than before. Rows of a preferred source remain, and nothing is added to a span that such a source
 * covers. Taken slots are looked up in a hash (uncorrelated `NOT IN`): the embedded database has no statistics, and a
 * correlated look-up would read the whole series for each row.
 */
export function writePoints(token: TokenName, source: MarketSourceName, update: SeriesUpdate): Prisma.Sql {
  const preferred = preferredTo(source);
  const { interval, covers } = update;
  const provisional = preferred.length > 0;
  // Provisional samples may change at any time.
  const samples = update.samples.map((sample) => ({ ...sample, settled: sample.settled && !provisional }));
  const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
  const isReplaceable = Prisma.sql`(NOT point.settled OR point.provisional) AND NOT ${isOneOf('point.source', preferred)}`;
  const ofSeries = Prisma.sql`token = ${token} AND grain = ${interval}::grain`;
  const gone = covers
    ? Prisma.sql`DELETE FROM point WHERE ${ofSeries} AND ${isReplaceable}
        AND ${isSuperseded(interval, covers)} AND at NOT IN (SELECT at FROM written)`
    : Prisma.sql`SELECT 1`;
  const isCovered = provisional
    ? Prisma.sql`EXISTS (SELECT FROM source_coverage c
        WHERE ${ofSeries} AND ${isOneOf('c.source', preferred)} AND given.at BETWEEN c."from" AND c.thru)`
    : Prisma.sql`false`;
  return Prisma.sql`
    WITH given AS (${given(samples)}),
    written AS (
      SELECT * FROM given WHERE NOT ${isCovered} AND date_trunc(${interval}, at, 'UTC') NOT IN (
        SELECT date_trunc(${interval}, at, 'UTC') FROM point WHERE ${ofSeries} AND NOT (${isReplaceable})
          AND at BETWEEN ${toInstant(first - DAY)} AND ${toInstant(last + DAY)})),
    gone AS (${gone})
    INSERT INTO point (token, grain, at, price, market_cap, volume, settled, source, provisional)
    SELECT ${token}, ${interval}::grain, at, price, market_cap, volume, settled, ${source}, ${provisional}::boolean
    FROM written
    ON CONFLICT (token, grain, at) DO UPDATE
    SET price = excluded.price, market_cap = excluded.market_cap, volume = excluded.volume,
      settled = excluded.settled, source = excluded.source, provisional = excluded.provisional
    WHERE ${isReplaceable}`;
}
