import type { TokenName } from '#catalogue/token';
import type { Span } from '#core/clock';
import { epochMs } from '#database/values';
import type { PrismaClient } from '#generated/prisma/client';
import type { StoredCandle } from '#prices/model/candle';
import type { Interval } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { createSeriesStore } from '#prices/series/series-store';
import { addCoverage, CANDLE_TABLE, shareRows, writeRows } from '#prices/series/sql-store';
import { bumpVersion } from '#upstream/claims-and-budgets-store';

export type CandleSeries = { token: TokenName; interval: Interval };

/** `at` is the start of the first candle of a series, in Unix ms. */
type FirstCandle = CandleSeries & { at: number };

/** The timeout of an import, in ms. A million rows take a minute. */
const IMPORT_MS = 30 * 60 * 1000;

export function createCandleStore(prisma: PrismaClient) {
  return {
    ...createSeriesStore(prisma, CANDLE_TABLE),

    /** Stores all candles of a file or none. Calls `covers` at the end. Returns the number of changed rows. */
    import: (
      what: string,
      { token, interval, source }: CandleSeries & { source: MarketSourceName },
      batches: AsyncIterable<readonly StoredCandle[]>,
      covers: () => Span,
      at: number,
    ): Promise<number> =>
      prisma.$transaction(
        async (tx) => {
          for (const lock of shareRows(CANDLE_TABLE)) await tx.$executeRaw(lock);
          let written = 0;
          for await (const rows of batches)
            written += await tx.$executeRaw(writeRows(CANDLE_TABLE, token, source, { interval, rows }));
          await tx.$executeRaw(addCoverage(CANDLE_TABLE, token, interval, source, [covers()]));
          await tx.$executeRaw(bumpVersion(what, at));
          return written;
        },
        { timeout: IMPORT_MS },
      ),

    async changes(): Promise<number> {
      const [row] = await prisma.$queryRaw<{ changes: number }[]>`
        SELECT coalesce(sum(version), 0)::float8 AS changes FROM refresh WHERE resource LIKE 'candles%'`;
      return row?.changes ?? 0;
    },

    /** The start of the first plausible candle of each series (Unix ms), with one index look-up per series. */
    async firsts(times: Span): Promise<FirstCandle[]> {
      const rows = await prisma.$queryRaw<(CandleSeries & { at: number | null })[]>`
        SELECT token, "interval"::text AS interval, ${epochMs('at')} AS at FROM (
          SELECT token, "interval", (
            SELECT min(candle.at) FROM candle
            WHERE candle.token = series.token AND candle."interval" = series."interval" AND ${CANDLE_TABLE.isPlausible(times)}) AS at
          FROM (SELECT DISTINCT token, "interval" FROM candle_coverage) AS series) AS first`;
      return rows.flatMap(({ at, ...one }) => (at === null ? [] : [{ ...one, at }]));
    },
  };
}

export type CandleStore = ReturnType<typeof createCandleStore>;
