import type { TokenName } from '#catalogue/token';
import { DAY, type Span, startOfDate } from '#core/clock';
import { epochMs, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { type ArchivedSample, addCoverage, given, lockRows, POINT, upsert } from '#prices/archive/series-sql-store';
import type { MarketSourceName } from '#prices/model/market-sources';
import { bumpVersion } from '#upstream/claims-and-budgets-store';

/** Stored rows at `gone` (Unix ms) are deleted, and `samples` are written. */
type Merge = { gone: readonly number[]; samples: readonly ArchivedSample[] };
export type CoveredBySource = { source: MarketSourceName; spans: readonly Span[] };
type StoredRow = Omit<ArchivedSample, 'marketCap'> & { market_cap: number | null };
const toSample = ({ market_cap, ...row }: StoredRow): ArchivedSample => ({ ...row, marketCap: market_cap });

export function createImportStore(prisma: PrismaClient) {
  return {
    /**
     * Merges rows of `dates` (the first and the last, Unix ms) and coverage in one transaction. `merge` receives the
     * stored rows. The table is locked from the read to the write. Otherwise, a process that fetches one of these dates
     * in the meantime would store a second row for the date or lose a settled row.
     */
    async merge(
      token: TokenName,
      dates: Span | undefined,
      covers: readonly CoveredBySource[],
      merge: (stored: readonly ArchivedSample[]) => Merge,
      at: number,
    ): Promise<void> {
      await prisma.$transaction(async (tx) => {
        await tx.$executeRaw(lockRows(POINT));
        if (dates) {
          const stored = await tx.$queryRaw<StoredRow[]>`
            SELECT ${epochMs('at')} AS at, price, market_cap, volume, settled AND NOT provisional AS settled, source
            FROM point
            WHERE token = ${token} AND grain = 'day' AND at >= ${toInstant(startOfDate(dates.from))}
              AND at < ${toInstant(startOfDate(dates.thru) + DAY)}
            ORDER BY point.at`;
          const { gone, samples } = merge(stored.map(toSample));
          if (gone.length > 0) {
            await tx.$executeRaw`
              DELETE FROM point WHERE token = ${token} AND grain = 'day'
                AND at = ANY (${gone.map((instant) => new Date(instant).toISOString())}::timestamptz[])`;
          }
          for (const [source, rows] of Map.groupBy(samples, ({ source }) => source)) {
            await tx.$executeRaw(upsert(POINT, token, 'day', Prisma.sql`(${given(POINT, source, rows)}) AS given`));
          }
        }
        for (const { source, spans } of covers) {
          await tx.$executeRaw(addCoverage(POINT, token, 'day', source, spans));
        }
        await tx.$executeRaw(bumpVersion(`import:${token}`, at));
      });
    },
  };
}

export type ImportStore = ReturnType<typeof createImportStore>;
