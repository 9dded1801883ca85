import { toInstant } from '#database/values';
import { Prisma } from '#generated/prisma/client';

/** The maximum number of users per statement. The next run handles the rest. */
const AT_ONCE = 1_000;

/**
 * Starts the plans whose first period has started (`now` in Unix ms), for one user or for all users. No call depends on
 * when this statement runs (see the README). Race: a row that another process has locked is skipped, because that
 * process starts the plan itself or will be done before the next run.
 */
export const startDuePlans = (now: number, userKey: number | null = null): Prisma.Sql => Prisma.sql`
  WITH due AS MATERIALIZED (
    SELECT key FROM "user" WHERE next_from <= ${toInstant(now)} AND key = coalesce(${userKey}::int, key)
    LIMIT ${AT_ONCE}::int FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE "user" u SET plan = next_plan, anchor = next_from, "limit" = next_limit, next_plan = NULL, next_limit = NULL,
    next_from = NULL, updated_at = ${toInstant(now)}, changed_at = (SELECT clock_timestamp())
  FROM due WHERE u.key = due.key`;
