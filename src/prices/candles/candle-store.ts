import type { TokenName } from '#catalogue/token';
import type { Span } from '#core/clock';
import { epochMs, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import {
  addCoverage,
  type Coverage,
  firstInstants,
  readCoverage,
  readSummary,
  type SeriesSummary,
  shareRows,
} from '#prices/archive/archive-sql-store';
import type { StoredCandle } from '#prices/model/candle';
import type { Interval } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import type { ImplausibleRows } from '#upstream/plausible';

export type CandleSeries = { token: TokenName; interval: Interval };

/** Candles of a series, ascending; `covers` is the span for which they are complete. */
type CandleUpdate = CandleSeries & {
  source: MarketSourceName;
  candles: readonly StoredCandle[];
  covers?: Span | undefined;
};

/** `at`: the start of the first candle of a series, in Unix ms. */
type FirstCandle = CandleSeries & { at: number };

/** The timeout of an import. A million rows take a minute. */
const IMPORT_MS = 30 * 60 * 1000;

const given = (candles: readonly StoredCandle[]) => Prisma.sql`
  SELECT to_timestamp(at / 1000)::timestamptz(3) AS at, open, high, low, close, volume, settled
  FROM json_to_recordset(${JSON.stringify(candles)}::json)
    AS row(at float8, open float8, high float8, low float8, close float8, volume float8, settled boolean)`;

/** Replaces unsettled candles and adds new ones. A settled candle never changes. Returns the number of rows written. */
const write = ({ token, interval, source, candles, covers }: CandleUpdate) => Prisma.sql`
  WITH given AS (${given(candles)}), gone AS (
    DELETE FROM candle WHERE token = ${token} AND grain = ${interval}::grain AND NOT settled
      AND at BETWEEN ${toInstant(covers?.from ?? 0)} AND ${toInstant(covers?.thru ?? -1)}
      AND at NOT IN (SELECT at FROM given))
  INSERT INTO candle (token, grain, at, open, high, low, close, volume, source, settled)
  SELECT ${token}, ${interval}::grain, at, open, high, low, close, volume, ${source}, settled FROM given
  ON CONFLICT (token, grain, at) DO UPDATE
  SET open = excluded.open, high = excluded.high, low = excluded.low, close = excluded.close,
      volume = excluded.volume, source = excluded.source, settled = excluded.settled
  WHERE NOT candle.settled`;

/** PostgreSQL orders NaN above infinity. */
const plausible = ({ from, thru }: Span) => Prisma.sql`(
  candle.at BETWEEN ${toInstant(from)} AND ${toInstant(thru)}
  AND low > 0 AND open BETWEEN low AND high AND close BETWEEN low AND high AND high < 'Infinity'
  AND volume >= 0 AND volume < 'Infinity')`;

const cover = ({ token, interval, source }: Omit<CandleUpdate, 'candles'>, span: Span) =>
  addCoverage(token, interval, source, [span], 'candle_coverage');

type Row = [at: number, open: number, high: number, low: number, close: number, volume: number, settled: boolean];

const toCandle = ([at, open, high, low, close, volume, settled]: Row): StoredCandle => ({
  at,
  open,
  high,
  low,
  close,
  volume,
  settled,
});

export function createCandleStore(prisma: PrismaClient) {
  return {
    /** Stores a response in one transaction. */
    async record(what: string, update: CandleUpdate, fetchedAt: number): Promise<void> {
      const { covers } = update;
      await prisma.$transaction([
        ...shareRows('candle').map((lock) => prisma.$executeRaw(lock)),
        prisma.$executeRaw(write(update)),
        ...(covers ? [prisma.$executeRaw(cover(update, covers))] : []),
        prisma.$executeRaw(bumpVersion(what, fetchedAt)),
      ]);
    },

    /**
     * Stores all of a file's candles or none. Calls `covers` after reading the last candle. Returns the number of
     * changed rows.
     */
    import: (
      what: string,
      series: Omit<CandleUpdate, 'candles' | 'covers'>,
      batches: AsyncIterable<readonly StoredCandle[]>,
      covers: () => Span,
      at: number,
    ): Promise<number> =>
      prisma.$transaction(
        async (tx) => {
          for (const lock of shareRows('candle')) await tx.$executeRaw(lock);
          let written = 0;
          for await (const candles of batches) written += await tx.$executeRaw(write({ ...series, candles }));
          await tx.$executeRaw(cover(series, covers()));
          await tx.$executeRaw(bumpVersion(what, at));
          return written;
        },
        { timeout: IMPORT_MS },
      ),

    /** The plausible candles that start in a span, ascending, sent as one JSON text; the first `most`, or all. */
    async candles({ token, interval }: CandleSeries, span: Span, most?: number): Promise<StoredCandle[]> {
      const limit = most === undefined ? Prisma.empty : Prisma.sql`ORDER BY candle.at LIMIT ${most}`;
      const [row] = await prisma.$queryRaw<{ candles: string | null }[]>`
        SELECT json_agg(json_build_array(${epochMs('candle.at')}, open, high, low, close, volume, settled)
          ORDER BY candle.at)::text AS candles
        FROM (SELECT * FROM candle
          WHERE token = ${token} AND grain = ${interval}::grain AND ${plausible(span)} ${limit}) AS candle`;
      return (JSON.parse(row?.candles ?? '[]') as Row[]).map(toCandle);
    },

    /** The complete spans of some tokens, or of all tokens. */
    coverage: (tokens?: readonly TokenName[]): Promise<Coverage[]> => readCoverage(prisma, 'candle_coverage', tokens),

    /** Rises with each change to candles. */
    async changes(): Promise<number> {
      const [row] = await prisma.$queryRaw<{ changes: number }[]>`
        SELECT coalesce(sum(version), 0)::float8 AS changes FROM refresh WHERE what LIKE 'candles%'`;
      return row?.changes ?? 0;
    },

    /** The start of the first plausible candle of each series (Unix ms), with one index look-up each. */
    async firsts(times: Span): Promise<FirstCandle[]> {
      const rows = await prisma.$queryRaw<(CandleSeries & { at: number | null })[]>`
        SELECT token, grain::text AS interval, ${epochMs('at')} AS at FROM (
          SELECT token, grain, (
            SELECT min(candle.at) FROM candle
            WHERE candle.token = series.token AND candle.grain = series.grain AND ${plausible(times)}) AS at
          FROM (SELECT DISTINCT token, grain FROM candle_coverage) AS series) AS first`;
      return rows.flatMap(({ at, ...series }) => (at === null ? [] : [{ ...series, at }]));
    },

    summary: (times: Span): Promise<SeriesSummary[]> => readSummary(prisma, 'candle', plausible(times)),

    /** Stored implausible candles. They are not served. */
    implausibleRows: (times: Span): Promise<ImplausibleRows[]> =>
      prisma.$queryRaw`
        SELECT token, 'candles' AS what, count(*)::int AS count, ${firstInstants('at')} AS instants
        FROM candle WHERE NOT ${plausible(times)} GROUP BY token ORDER BY token`,
  };
}

export type CandleStore = ReturnType<typeof createCandleStore>;
