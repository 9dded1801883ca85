import { isoDate } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';

/** Users whose dates one batch looks at, and rows at which it stops taking more users. */
const USERS = 2000;
const ROWS = 5000;

type Batch = { deleted: number; last: number | null };

/** Deletes the rows of `UsageDay` that are past their retention. */
export function createUsageDayStore(prisma: PrismaClient) {
  return {
    /**
     * Deletes the rows of dates before one (its start, Unix ms), of the next users after a user key. `last` is the last of
     * these users; null where there are no more.
     *
     * It takes the users in the order of their keys, and of each the first dates, by the table's primary key: an index on
     * the date would be one more for the ledger to write, and to build it locks the ledger out for minutes where the table
     * has gigabytes. A user is taken whole, so a batch has at most one user's rows more than its number. It locks no
     * row that a settlement writes, since those are of today.
     */
    async deleteBefore(date: number, after: number): Promise<Batch> {
      const before = isoDate(date);
      const [batch] = await prisma.$queryRaw<[Batch]>`
        WITH old AS MATERIALIZED (
          SELECT u.key FROM (
            SELECT key FROM "user" WHERE key > ${after}::int ORDER BY key LIMIT ${USERS}::int) u
            CROSS JOIN LATERAL (SELECT FROM usage_day d
              WHERE d.user_key = u.key AND d.date < ${before}::date LIMIT ${ROWS}::int) d
          ORDER BY u.key LIMIT ${ROWS}::int),
        gone AS (
          DELETE FROM usage_day WHERE user_key = ANY (ARRAY(SELECT DISTINCT key FROM old))
            AND date < ${before}::date
          RETURNING 1)
        SELECT (SELECT count(*) FROM gone)::int AS deleted,
          CASE WHEN (SELECT count(*) FROM old) = ${ROWS}::int THEN (SELECT max(key) FROM old)
            ELSE (SELECT max(key) FROM (
              SELECT key FROM "user" WHERE key > ${after}::int ORDER BY key LIMIT ${USERS}::int) u) END AS last`;
      return batch;
    },
  };
}

export type UsageDayStore = ReturnType<typeof createUsageDayStore>;
