import { iso, isoOrNull } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { SKEW } from './freshness.ts';

/** The last successful and the last failed call to a source by any process. Instants in Unix ms. */
export type SourceOutcome = {
  source: string;
  succeededAt: number | null;
  failure: { at: number; cause: string } | null;
};

export function createSourceOutcomesStore(prisma: PrismaClient) {
  return {
    /**
     * Race: processes write in any order. An older time replaces a newer time only if the newer time is in the future.
     */
    async write(outcomes: readonly SourceOutcome[], now: number): Promise<void> {
      const latest = Prisma.sql`${iso(now + SKEW)}::timestamptz`;
      const succeededAt = Prisma.sql`CASE WHEN held.succeeded_at <= ${latest} THEN held.succeeded_at END`;
      const failedAt = Prisma.sql`CASE WHEN held.failed_at <= ${latest} THEN held.failed_at END`;
      const rows = outcomes.map(({ source, succeededAt, failure }) => ({
        source,
        succeeded_at: isoOrNull(succeededAt),
        failed_at: isoOrNull(failure?.at ?? null),
        cause: failure?.cause ?? null,
      }));
      await prisma.$executeRaw`
        INSERT INTO source_outcome AS held (source, succeeded_at, failed_at, cause)
        SELECT source, succeeded_at, failed_at, cause
        FROM json_to_recordset(${JSON.stringify(rows)}::json)
          AS r(source text, succeeded_at timestamptz, failed_at timestamptz, cause text)
        ORDER BY source
        ON CONFLICT (source) DO UPDATE SET
          succeeded_at = greatest(${succeededAt}, excluded.succeeded_at),
          cause = CASE WHEN excluded.failed_at >= coalesce(${failedAt}, '-infinity') THEN excluded.cause
            ELSE held.cause END,
          failed_at = greatest(${failedAt}, excluded.failed_at)`;
    },

    async read(): Promise<SourceOutcome[]> {
      const rows = await prisma.sourceOutcome.findMany();
      return rows.map(({ source, succeededAt, failedAt, cause }) => ({
        source,
        succeededAt: succeededAt?.getTime() ?? null,
        failure: failedAt && { at: failedAt.getTime(), cause: cause ?? 'unknown' },
      }));
    },
  };
}

export type SourceOutcomesStore = ReturnType<typeof createSourceOutcomesStore>;
