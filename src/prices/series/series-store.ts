import type { TokenName } from '#catalogue/token';
import type { Span } from '#core/clock';
import { epochMs } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Interval } from '#prices/model/interval';
import { isMarketSource, MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import type { ImplausibleRows } from '#upstream/items/plausible';
import {
  addCoverage,
  lockRows,
  type SeriesTable,
  type SeriesUpdate,
  shareRows,
  sqlSourceIn,
  writeRows,
} from './sql-store.ts';

type OfSource = { token: TokenName; interval: Interval; source: MarketSourceName };
export type Coverage = OfSource & { span: Span };
export type SeriesSummary = OfSource & { from: number; thru: number; points: number };

export type RowsFrom = { token: TokenName; interval: Interval; from: number };

/** The number of rows of a series per page. The event loop runs between pages. */
const PAGE = 2000;
type Page<Row> = { place: number; page: readonly Row[] };

/** Yields the rows of several series in pages. `read` returns the first `most` rows of each, ascending. */
export async function* pagesOf<Row extends { at: number }>(
  series: readonly RowsFrom[],
  read: (series: readonly RowsFrom[], most: number) => Promise<readonly (readonly Row[])[]>,
): AsyncGenerator<Page<Row>> {
  let left = series.map((wanted, place) => ({ ...wanted, place }));
  while (left.length > 0) {
    const pages = await read(left, PAGE);
    const next: typeof left = [];
    for (const [i, wanted] of left.entries()) {
      const page = pages[i] ?? [];
      const last = page.at(-1);
      if (last === undefined) continue;
      yield { place: wanted.place, page };
      if (page.length === PAGE) next.push({ ...wanted, from: last.at + 1 });
    }
    left = next;
  }
}

const firstInstants = (column: string) =>
  Prisma.raw(`(array_agg(replace((${column} AT TIME ZONE 'UTC')::text, ' ', 'T') || 'Z' ORDER BY ${column}))[1:10]`);

/** The tokens in a table. The statement skips through the index and reads no rows. */
export const tokensOf = ({ table }: SeriesTable<unknown>) => Prisma.sql`(
  WITH RECURSIVE tokens AS (
    SELECT min(token) AS token FROM ${table}
    UNION ALL SELECT (SELECT min(token) FROM ${table} WHERE token > tokens.token) FROM tokens WHERE token IS NOT NULL)
  SELECT token FROM tokens WHERE token IS NOT NULL)`;

const isMeant = (tokens: readonly TokenName[] | undefined) =>
  tokens ? Prisma.sql`token = ANY (${[...tokens]}::text[])` : Prisma.sql`true`;

const ofKnownSources = <Row extends { source: string }>(rows: readonly Row[]) =>
  rows.flatMap(({ source, ...rest }) => (isMarketSource(source) ? [{ ...rest, source }] : []));

type Counted = { from: Prisma.Sql; what: string; by: string; column: string; isPlausible: Prisma.Sql };

/** Counts implausible rows, and lists the times of the first few implausible rows. */
export const countImplausible = (
  prisma: PrismaClient,
  { from, what, by, column, isPlausible }: Counted,
  tokens?: readonly TokenName[],
) => prisma.$queryRaw<ImplausibleRows[]>`
  SELECT token, ${Prisma.raw(what)} AS what, count(*)::int AS count, ${firstInstants(column)} AS instants
  FROM ${from} WHERE ${isMeant(tokens)} AND NOT ${isPlausible} GROUP BY ${Prisma.raw(by)} ORDER BY ${Prisma.raw(by)}`;

/** A fallback takes an exclusive lock, because it must see the coverage that the primary source is writing. */
export const locksOf = (prisma: PrismaClient, table: SeriesTable<unknown>, source: MarketSourceName) =>
  (table.sourcesPreferredOver(source).length > 0 ? [lockRows(table)] : shareRows(table)).map((lock) =>
    prisma.$executeRaw(lock),
  );

export function createSeriesStore<Row extends { at: number; final: boolean }>(
  prisma: PrismaClient,
  series: SeriesTable<Row>,
) {
  const { table, coverageTable, values } = series;

  return {
    async record(
      source: MarketSourceName,
      resource: string,
      token: TokenName,
      updates: readonly SeriesUpdate<Row>[],
      fetchedAt: number,
    ): Promise<void> {
      await prisma.$transaction([
        ...locksOf(prisma, series, source),
        ...updates.map((update) => prisma.$executeRaw(writeRows(series, token, source, update))),
        ...updates.flatMap(({ interval, covers }) =>
          covers ? [prisma.$executeRaw(addCoverage(series, token, interval, source, [covers]))] : [],
        ),
        prisma.$executeRaw(bumpVersion(resource, fetchedAt)),
      ]);
    },

    /**
     * The first `most` plausible rows of several series within `times`, ascending from each series' own instant. A
     * series is sent as one JSON text of arrays: separate rows take four times as long, and names half of the text.
     */
    async rowsFrom(wanted: readonly RowsFrom[], times: Span, most: number): Promise<Row[][]> {
      const inOrder = wanted.map(({ token, interval, from }, place) => ({ place, token, interval, from }));
      const rows = await prisma.$queryRaw<{ rows: string | null }[]>`
        SELECT (SELECT json_agg(json_build_array(${epochMs('found.at')}, ${values}) ORDER BY found.at)::text
          FROM (SELECT * FROM ${table}
            WHERE token = wanted.token AND "interval" = wanted."interval"::series_interval AND at >= to_timestamp(wanted."from" / 1000)
              AND ${sqlSourceIn('source', MARKET_SOURCES)} AND ${series.isPlausible(times)}
            ORDER BY at LIMIT ${most}::int) AS found) AS rows
        FROM json_to_recordset(${JSON.stringify(inOrder)}::json) AS wanted(place int, token text, "interval" text, "from" float8)
        ORDER BY place`;
      return rows.map((found) => (JSON.parse(found.rows ?? '[]') as never[]).map(series.toRow));
    },

    async coverage(tokens?: readonly TokenName[]): Promise<Coverage[]> {
      const rows = await prisma.$queryRaw<
        { token: TokenName; interval: Interval; source: string; from: number; thru: number }[]
      >`
        SELECT token, "interval"::text AS interval, source, ${epochMs('"from"')} AS "from", ${epochMs('thru')} AS thru
        FROM ${coverageTable} WHERE ${isMeant(tokens)}`;
      return ofKnownSources(rows).map(({ from, thru, ...rest }) => ({ ...rest, span: { from, thru } }));
    },

    async summary(times: Span, tokens?: readonly TokenName[]): Promise<SeriesSummary[]> {
      const rows = await prisma.$queryRaw<(Omit<SeriesSummary, 'source'> & { source: string })[]>`
        SELECT token, "interval"::text AS interval, source, ${epochMs('min(at)')} AS "from", ${epochMs('max(at)')} AS thru,
          count(*)::int AS points
        FROM ${table} WHERE ${isMeant(tokens)} AND ${series.isPlausible(times)}
        GROUP BY token, "interval", source ORDER BY token, "interval", source`;
      return ofKnownSources(rows);
    },

    implausibleRows(times: Span, tokens?: readonly TokenName[]): Promise<ImplausibleRows[]> {
      const isPlausible = series.isPlausible(times);
      return countImplausible(prisma, { ...series.implausible, from: table, column: 'at', isPlausible }, tokens);
    },
  };
}

export type SeriesStore<Row extends { at: number; final: boolean }> = ReturnType<typeof createSeriesStore<Row>>;
