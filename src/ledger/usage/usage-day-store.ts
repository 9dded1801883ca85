import { isoDate } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';

/** Users per batch, and the number of rows at which a batch ends. */
const USERS = 2000;
const ROWS = 5000;

type Batch = { deleted: number; last: number | null };

export function createUsageDayStore(prisma: PrismaClient) {
  return {
    /**
     * Deletes the rows before a date (its start in Unix ms) for the users after the user key `after`. Returns the
     * batch's last user, or null at the end. Batches follow the primary key, user by user. An index on the date would
     * add a write to each settlement, and building it would block the ledger for minutes on a table of several
     * gigabytes. A batch deletes all old rows of a user, so it exceeds `ROWS` by at most one user's rows. Settlements
     * write recent dates only, so the batch locks none of their rows. It also deletes the calls by key and path of the
     * same users and dates.
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
          RETURNING 1),
        gone_details AS (
          DELETE FROM usage_detail WHERE user_key = ANY (ARRAY(SELECT DISTINCT key FROM old))
            AND date < ${before}::date)
        SELECT (SELECT count(*) FROM gone)::int AS deleted,
          CASE WHEN (SELECT count(*) FROM old) = ${ROWS}::int THEN (SELECT max(key) FROM old)
            ELSE (SELECT max(key) FROM (
              SELECT key FROM "user" WHERE key > ${after}::int ORDER BY key LIMIT ${USERS}::int) u) END AS last`;
      return batch;
    },
  };
}

export type UsageDayStore = ReturnType<typeof createUsageDayStore>;
