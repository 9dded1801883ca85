import { DAY, startOfDate } from '#domain/clock';
import type { Span } from '#domain/market/span';
import type { TokenName } from '#domain/market/token';
import type { PrismaClient } from '#generated/prisma/client';
import { type ArchivedSample, addCoverage, bumpRefresh, epochMs, given, toInstant } from './archive-sql.ts';

/** What a batch changes, given the stored rows: those at `gone` (Unix ms) are deleted, `samples` are written. */
type Merge = { gone: readonly number[]; samples: readonly ArchivedSample[] };

type StoredRow = { at: number; settled: boolean } & Record<'price' | 'market_cap' | 'volume', number | null>;

const toSample = ({ market_cap, ...row }: StoredRow): ArchivedSample => ({ ...row, marketCap: market_cap });

/** Writes an operator's day rows among those that the service has fetched. */
export function createImportStore(prisma: PrismaClient) {
  return {
    /**
     * Merges rows into the days of a token and adds to its coverage, in one transaction. The table is locked from the
     * read to the write: other writers wait, readers do not. A service that fetched one of these dates in between
     * would otherwise store a second row for it, or lose a settled one.
     *
     * @param dates Unix ms: the dates (from the first thru the last, both included) of which `merge` wants the rows
     * @param merge decides; called once, with what is stored of those dates, ascending
     * @param at Unix ms: when this is done
     */
    async merge(
      token: TokenName,
      dates: Span | undefined,
      covers: readonly Span[],
      merge: (stored: readonly ArchivedSample[]) => Merge,
      at: number,
    ): Promise<void> {
      await prisma.$transaction(async (tx) => {
        if (dates) {
          await tx.$executeRaw`LOCK TABLE point IN SHARE ROW EXCLUSIVE MODE`;
          const stored = await tx.$queryRaw<StoredRow[]>`
            SELECT ${epochMs('at')} AS at, price, market_cap, volume, settled FROM point
            WHERE token = ${token} AND grain = 'day' AND at >= ${toInstant(startOfDate(dates.from))}
              AND at < ${toInstant(startOfDate(dates.thru) + DAY)}
            ORDER BY point.at`;
          const { gone, samples } = merge(stored.map(toSample));
          if (gone.length > 0) {
            await tx.$executeRaw`
              DELETE FROM point WHERE token = ${token} AND grain = 'day'
                AND at = ANY (${gone.map((instant) => new Date(instant).toISOString())}::timestamptz[])`;
          }
          await tx.$executeRaw`
            INSERT INTO point (token, grain, at, price, market_cap, volume, settled)
            SELECT ${token}, 'day', at, price, market_cap, volume, settled FROM (${given(samples)}) AS given
            ON CONFLICT (token, grain, at) DO UPDATE
            SET price = excluded.price, market_cap = excluded.market_cap, volume = excluded.volume,
              settled = excluded.settled`;
        }
        await tx.$executeRaw(addCoverage(token, 'day', covers));
        await tx.$executeRaw(bumpRefresh(`import:${token}`, at));
      });
    },
  };
}

export type ImportStore = ReturnType<typeof createImportStore>;
