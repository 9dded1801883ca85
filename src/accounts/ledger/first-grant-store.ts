import { Prisma } from '#generated/prisma/client';
import { columnOf, type LeaseReport } from './lease-report-store.ts';
import { LEASE_SECONDS } from './settlement-store.ts';

/**
 * The statement for new leases of users with plenty left: it grants all that is wanted or nothing, and gives the states
 * of the granted leases as `StateColumns`. The others go to the settlement, which takes PostgreSQL several times as long,
 * most of it to plan; a user's first call waits for this statement alone.
 *
 * Race: the `usage` row is inserted, or locked and read again, before a fourth of what is left is compared with what is
 * wanted, so two processes cannot both be granted the same calls. Rows are locked in order of user and period, against
 * deadlocks.
 */
export const firstGrants = (reports: readonly LeaseReport[]): Prisma.Sql => Prisma.sql`
  WITH report AS MATERIALIZED (
    SELECT n, id, r.user_key, to_timestamp(period_start / 1000.0) AS period_start,
      (to_timestamp(date / 1000.0) AT TIME ZONE 'UTC')::date AS date, want, seq, "limit"
    FROM unnest(${columnOf(reports, 'uuid', ({ id }) => id)},
      ${columnOf(reports, 'int', ({ userKey }) => userKey)},
      ${columnOf(reports, 'bigint', ({ periodStart }) => periodStart)},
      ${columnOf(reports, 'bigint', ({ date }) => date)}, ${columnOf(reports, 'int', ({ want }) => want)},
      ${columnOf(reports, 'int', ({ seq }) => seq)})
      WITH ORDINALITY AS r(id, user_key, period_start, date, want, seq, n)
      JOIN "user" ON "user".key = r.user_key),
  held AS (
    INSERT INTO usage (user_key, period_start, used, outstanding)
    SELECT user_key, period_start, 0, want FROM report WHERE "limit" >= 4 * want ORDER BY user_key, period_start
    ON CONFLICT (user_key, period_start) DO UPDATE SET outstanding = usage.outstanding + excluded.outstanding
    WHERE (SELECT "limit" FROM "user" WHERE key = usage.user_key) - usage.used - usage.outstanding
      >= 4 * excluded.outstanding
    RETURNING user_key, period_start, used + outstanding AS taken),
  granted AS MATERIALIZED (SELECT * FROM report JOIN held USING (user_key, period_start)),
  opened AS (
    INSERT INTO lease (id, user_key, period_start, date, granted, spent, seq, expires_at)
    SELECT id, user_key, period_start, date, want, 0, seq,
      clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::float8)
    FROM granted)
  SELECT json_agg(n)::text AS n, json_agg(want)::text AS granted, json_agg(false)::text AS closed,
    json_agg("limit")::text AS "limit", json_agg("limit" - taken)::text AS "left",
    json_agg(NULL::int)::text AS "reclaimableIn"
  FROM granted`;
