import type { TokenName } from '#catalogue/token';
import { DAY, type Span } from '#core/clock';
import { toInstant } from '#database/values';
import { Prisma } from '#generated/prisma/client';
import type { StoredCandle } from '#prices/model/candle';
import type { Interval } from '#prices/model/interval';
import { type MarketSourceName, sourcesPreferredOver } from '#prices/model/market-sources';
import { missingSamples } from '#prices/model/missing-samples';
import type { Sample } from '#prices/model/sample';

/* The tables of samples and of candles, and the statements that write them. */

export type ArchivedSample = Sample & { final: boolean; source: MarketSourceName };

type Definition<Row> = {
  rows: 'point' | 'candle';
  coverage: 'point_coverage' | 'candle_coverage';
  /** The columns of a row's figures, by their names in the row. */
  figures: Readonly<Record<string, string>>;
  /** Whether several sources provide rows. If so, a fallback's rows are provisional. */
  hasFallback: boolean;
  /** Converts an array: the time, the figures, whether the row is final, and, with a fallback, the source. */
  toRow: (values: never) => Row;
  isPlausible: (times: Span) => Prisma.Sql;
  /** The name of implausible rows in reports, and the columns by which they are counted. */
  implausible: { what: string; by: string };
};

function seriesTable<Row>(definition: Definition<Row>) {
  const { rows, coverage, figures, hasFallback } = definition;
  const figureColumns = Object.values(figures);
  const columns = [...figureColumns, 'final', 'source', ...(hasFallback ? ['provisional'] : [])];
  const raw = (parts: readonly string[]) => Prisma.raw(parts.join(', '));
  return {
    ...definition,
    table: Prisma.raw(rows),
    coverageTable: Prisma.raw(coverage),
    /** The row of `Refresh` that serves as a table lock. Every PostgreSQL-compatible database supports row locks. */
    lock: `writes:${rows}`,
    columns: raw(columns),
    replaced: raw(columns.map((column) => `${column} = excluded.${column}`)),
    jsonColumns: raw([...Object.keys(figures).map((name) => `"${name}" float8`), 'final boolean']),
    jsonFigures: raw(Object.entries(figures).map(([name, column]) => `"${name}" AS ${column}`)),
    values: raw([...figureColumns, ...(hasFallback ? ['final AND NOT provisional', 'source'] : ['final'])]),
    provisional: Prisma.raw(hasFallback ? `${rows}.provisional` : 'false'),
    sourcesPreferredOver: (source: MarketSourceName) => (hasFallback ? sourcesPreferredOver(source) : []),
  };
}

export type SeriesTable<Row> = ReturnType<typeof seriesTable<Row>>;

// PostgreSQL orders NaN above infinity. Null figures are ignored.
export const POINT_TABLE = seriesTable({
  rows: 'point',
  coverage: 'point_coverage',
  figures: { price: 'price', marketCap: 'market_cap', volume: 'volume' },
  hasFallback: true,
  toRow: ([at, price, marketCap, volume, final, source]: [
    ...[number, number | null, number | null, number | null],
    ...[boolean, MarketSourceName],
  ]): ArchivedSample => ({ at, price, marketCap, volume, final, source }),
  isPlausible: ({ from, thru }) => Prisma.sql`(
    point.at BETWEEN ${toInstant(from)} AND ${toInstant(thru)} AND coalesce(price, 1) > 0
    AND coalesce(least(market_cap, volume), 0) >= 0
    AND coalesce(greatest(price, market_cap, volume), 0) < 'Infinity')`,
  implausible: { what: '"interval"::text', by: 'token, "interval"' },
});

export const CANDLE_TABLE = seriesTable({
  rows: 'candle',
  coverage: 'candle_coverage',
  figures: { open: 'open', high: 'high', low: 'low', close: 'close', volume: 'volume' },
  hasFallback: false,
  toRow: ([at, open, high, low, close, volume, final]: [
    ...[number, number, number, number, number, number],
    boolean,
  ]): StoredCandle => ({ at, open, high, low, close, volume, final }),
  isPlausible: ({ from, thru }) => Prisma.sql`(
    candle.at BETWEEN ${toInstant(from)} AND ${toInstant(thru)}
    AND low > 0 AND open BETWEEN low AND high AND close BETWEEN low AND high AND high < 'Infinity'
    AND volume >= 0 AND volume < 'Infinity')`,
  implausible: { what: `'candles'`, by: 'token' },
});

export const sqlSourceIn = (column: string, sources: readonly MarketSourceName[]) =>
  Prisma.sql`${Prisma.raw(column)} = ANY (${[...sources]}::text[])`;

export const sqlOfSeries = (token: TokenName, interval: Interval) =>
  Prisma.sql`token = ${token} AND "interval" = ${interval}::series_interval`;

/** Whether a source may replace a row. `preferred` contains the sources that take precedence over that source. */
export const isReplaceable = (
  { rows, table, provisional }: SeriesTable<unknown>,
  preferred: readonly MarketSourceName[],
) => Prisma.sql`(NOT ${table}.final OR ${provisional}) AND NOT ${sqlSourceIn(`${rows}.source`, preferred)}`;

/** Other writers of the table wait until the transaction ends. Readers do not wait. */
export const lockRows = ({ lock }: SeriesTable<unknown>) => Prisma.sql`
  INSERT INTO refresh (resource) VALUES (${lock}) ON CONFLICT (resource) DO UPDATE SET resource = excluded.resource`;

/** Waits for exclusive locks only. The row is inserted first, because concurrent inserts also block. */
export const shareRows = ({ lock }: SeriesTable<unknown>) => [
  Prisma.sql`INSERT INTO refresh (resource) VALUES (${lock}) ON CONFLICT DO NOTHING`,
  Prisma.sql`SELECT FROM refresh WHERE resource = ${lock} FOR SHARE`,
];

/** Adds spans to a source's coverage. Each instant belongs to the preferred source. Readers merge overlaps. */
export function addCoverage(
  table: SeriesTable<unknown>,
  token: TokenName,
  interval: Interval,
  source: MarketSourceName,
  spans: readonly Span[],
) {
  const { coverageTable: coverage } = table;
  const preferred = table.sourcesPreferredOver(source);
  const ofSeries = sqlOfSeries(token, interval);
  return Prisma.sql`
  WITH added AS (
    SELECT coalesce(range_agg(tstzrange(to_timestamp("from" / 1000)::timestamptz(3),
        to_timestamp(thru / 1000)::timestamptz(3) + interval '1 ms')), '{}')
      - coalesce((SELECT range_agg(tstzrange("from", thru + interval '1 ms')) FROM ${coverage}
        WHERE ${ofSeries} AND ${sqlSourceIn('source', preferred)}), '{}') AS spans
    FROM json_to_recordset(${JSON.stringify(spans)}::json) AS row("from" float8, thru float8)),
  touching AS (
    DELETE FROM ${coverage} c USING added
    WHERE ${ofSeries} AND NOT ${sqlSourceIn('source', preferred)}
      AND tstzrange(c."from" - interval '1 ms', c.thru + interval '1 ms', '[]') && added.spans
    RETURNING source, "from", thru),
  united AS (
    SELECT ${source}::text AS source, unnest(range_agg(span)) AS span FROM (
      SELECT unnest(spans) AS span FROM added
      UNION ALL SELECT tstzrange("from", thru + interval '1 ms') FROM touching WHERE source = ${source}) AS every
    UNION ALL
    SELECT source, unnest(range_agg(tstzrange("from", thru + interval '1 ms')) - (SELECT spans FROM added))
    FROM touching WHERE source <> ${source} GROUP BY source)
  INSERT INTO ${coverage} AS known (token, "interval", source, "from", thru)
  SELECT ${token}, ${interval}::series_interval, source, lower(span), upper(span) - interval '1 ms' FROM united
  ON CONFLICT (token, "interval", source, "from") DO UPDATE SET thru = greatest(known.thru, excluded.thru)`;
}

/** Whether an instant is in one of several spans, which are sent as one JSON text. */
const isWithin = (column: Prisma.Sql, spans: readonly Span[]) => Prisma.sql`${column} <@ (
  SELECT coalesce(range_agg(tstzrange(to_timestamp("from" / 1000)::timestamptz(3),
    to_timestamp(thru / 1000)::timestamptz(3), '[]')), '{}')
  FROM json_to_recordset(${JSON.stringify(spans)}::json) AS row("from" float8, thru float8))`;

/** A daily row is replaced only if its date has a new row. Any other row is kept only where new rows are missing. */
function isSuperseded(interval: Interval, covers: Span, rows: readonly NewRow[]) {
  if (interval === 'day')
    return Prisma.sql`date_trunc('day', at, 'UTC') IN (SELECT date_trunc('day', at, 'UTC') FROM given)`;
  const times = rows.map(({ at }) => at);
  const missing = missingSamples(interval, covers, times);
  return Prisma.sql`at BETWEEN ${toInstant(covers.from)} AND ${toInstant(covers.thru)}
    AND NOT ${isWithin(Prisma.sql`at`, missing)}`;
}

type NewRow = { at: number; final: boolean };

/** Rows as columns, sent as one JSON text. The server parses the digits, so no figure is rounded. */
export function sqlRowsOf(table: SeriesTable<unknown>, source: MarketSourceName, rows: readonly NewRow[]) {
  const provisional = table.sourcesPreferredOver(source).length > 0;
  return Prisma.sql`
    SELECT to_timestamp(at / 1000)::timestamptz(3) AS at, ${table.jsonFigures},
      final AND NOT ${provisional}::boolean AS final, ${source}::text AS source, ${provisional}::boolean AS provisional
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS row(at float8, ${table.jsonColumns})`;
}

/** Writes the rows of a subquery to a series. The caller appends the conditions for replacing a row. */
export const upsert = (
  table: SeriesTable<unknown>,
  token: TokenName,
  interval: Interval,
  rows: Prisma.Sql,
) => Prisma.sql`
  INSERT INTO ${table.table} (token, "interval", at, ${table.columns})
  SELECT ${token}, ${interval}::series_interval, at, ${table.columns} FROM ${rows}
  ON CONFLICT (token, "interval", at) DO UPDATE SET ${table.replaced}`;

/** All rows of an interval in the span `covers`, ascending. In `fills`, a preferred source has no samples. */
export type SeriesUpdate<Row> = {
  interval: Interval;
  rows: readonly (Omit<Row, 'source'> & NewRow)[];
  covers?: Span | undefined;
  fills?: readonly Span[];
};
export type PointUpdate = SeriesUpdate<ArchivedSample>;

/**
 * Writes a response's rows of a series. Replaces provisional rows and rows that are not final in the covered span, and
 * adds new rows. A final row never changes, and its slot gets no second row: CoinGecko may later report a slot at a
 * different second. Rows of a preferred source remain, and nothing is added to a span that such a source covers, except
 * where its samples are missing (`fills`). Used slots are looked up with an uncorrelated `NOT IN`, which uses a hash.
 * The embedded database has no statistics, so a correlated look-up would read the whole series for each row.
 */
export function writeRows<Row>(
  table: SeriesTable<Row>,
  token: TokenName,
  source: MarketSourceName,
  { interval, rows, covers, fills = [] }: SeriesUpdate<Row>,
): Prisma.Sql {
  const preferred = table.sourcesPreferredOver(source);
  const first = rows[0]?.at ?? 0;
  const last = rows.at(-1)?.at ?? 0;
  const replaceable = isReplaceable(table, preferred);
  const ofSeries = sqlOfSeries(token, interval);
  const gone = covers
    ? Prisma.sql`DELETE FROM ${table.table} WHERE ${ofSeries} AND ${replaceable}
        AND ${isSuperseded(interval, covers, rows)} AND at NOT IN (SELECT at FROM written)`
    : Prisma.sql`SELECT 1`;
  const isCovered =
    preferred.length > 0
      ? Prisma.sql`EXISTS (SELECT FROM ${table.coverageTable} c
          WHERE ${ofSeries} AND ${sqlSourceIn('c.source', preferred)} AND given.at BETWEEN c."from" AND c.thru)
          AND NOT ${isWithin(Prisma.sql`given.at`, fills)}`
      : Prisma.sql`false`;
  return Prisma.sql`
    WITH given AS (${sqlRowsOf(table, source, rows)}),
    written AS (
      SELECT * FROM given WHERE NOT (${isCovered}) AND date_trunc(${interval}, at, 'UTC') NOT IN (
        SELECT date_trunc(${interval}, at, 'UTC') FROM ${table.table} WHERE ${ofSeries} AND NOT (${replaceable})
          AND at BETWEEN ${toInstant(first - DAY)} AND ${toInstant(last + DAY)})),
    gone AS (${gone})
    ${upsert(table, token, interval, Prisma.sql`written`)} WHERE ${replaceable}`;
}
