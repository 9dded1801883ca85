import type { TokenName } from '#catalogue/token';
import { DAY, type Span } from '#core/clock';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { type LatestRow, readLatest, writeLatest, writeQuotes } from '#prices/archive/latest-store';
import type { MarketSourceName } from '#prices/model/market-sources';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import { type ImplausibleRows, implausibleRow } from '#upstream/plausible';
import { POINT } from './series-sql-store.ts';
import { countImplausible, createSeriesStore, locksOf, tokensOf } from './series-store.ts';

export function createArchiveStore(prisma: PrismaClient) {
  const points = createSeriesStore(prisma, POINT);
  const latestOf = (tokens?: readonly TokenName[]) =>
    prisma.latest.findMany({ ...(tokens && { where: { token: { in: [...tokens] } } }) });

  return {
    ...points,

    /** Stores a response's latest prices, and each of them also as a point. */
    async recordLatest(
      source: MarketSourceName,
      what: string,
      rows: readonly Omit<LatestRow, 'source'>[],
      fetchedAt: number,
    ): Promise<void> {
      await prisma.$transaction([
        ...locksOf(prisma, POINT, source),
        prisma.$executeRaw(writeLatest(source, rows)),
        ...writeQuotes(source, rows).map((write) => prisma.$executeRaw(write)),
        prisma.$executeRaw(bumpVersion(what, fetchedAt)),
      ]);
    },

    latest: async (tokens: readonly TokenName[], times: Span): Promise<LatestRow[]> =>
      (await latestOf(tokens)).flatMap((row) => readLatest(row, times) ?? []),

    /** Stored rows with a time outside the span or an implausible figure. They are not served. */
    async implausibleRows(times: Span, tokens?: readonly TokenName[]): Promise<ImplausibleRows[]> {
      const rows = await points.implausibleRows(times, tokens);
      const isPlausible = Prisma.sql`("from" >= ${toInstant(times.from)} AND thru <= ${toInstant(times.thru + DAY)})`;
      const coverage = { from: POINT.coverageTable, what: `'coverage'`, by: 'token', column: 'thru', isPlausible };
      const spans = await countImplausible(prisma, coverage, tokens);
      const latest = (await latestOf(tokens))
        .filter((row) => !readLatest(row, times))
        .map(({ token, at }) => implausibleRow(token, 'latest', at));
      return [...rows, ...spans, ...latest];
    },

    /** Returns a number for each token that has points. Each change to the token's points changes the number. */
    async changes(): Promise<Map<TokenName, number>> {
      const rows = await prisma.$queryRaw<{ token: TokenName; changes: number }[]>`
        SELECT token, sum(change)::float8 AS changes FROM (
          SELECT token, 0 AS change FROM ${tokensOf(POINT)} AS tokens
          UNION ALL SELECT token, extract(epoch FROM fetched_at) * 1000 FROM source_latest
          UNION ALL SELECT substring(what FROM '[^:]*$'), version FROM refresh
            WHERE what ~ '^(chart|hours|daily|import|purge|kraken):') AS change
        GROUP BY token`;
      return new Map(rows.map(({ token, changes }) => [token, changes]));
    },
  };
}

export type ArchiveStore = ReturnType<typeof createArchiveStore>;
