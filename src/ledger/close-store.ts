import { Prisma } from '#generated/prisma/client';
import { KEY_DATES, keyColumns, type LeaseKey, onlyUser } from './grant-store.ts';

/**
 * SQL: the spent calls of the leases `gone` by key and path. The key and the path of a lease's first call have all calls
 * that are not in `details`, so the sum is what `usage_day` gains.
 */
const DETAILS = Prisma.sql`
  SELECT user_key, date, key_id, path, spent AS calls FROM gone
  UNION ALL SELECT user_key, date, d.key_id, d.path, d.calls FROM gone g
    CROSS JOIN LATERAL generate_series(1, cardinality(g.details), 3) AS i
    CROSS JOIN LATERAL (VALUES (g.details[i], g.details[i + 1]::smallint, g.details[i + 2]),
      (g.key_id, g.path, -g.details[i + 2])) AS d(key_id, path, calls)`;

/**
 * Removes leases whose spent calls are all reported, at most one of each user: returns the unspent calls to the period,
 * and adds the spent calls to their date, key and path. Everything comes from the row. Races:
 * - The response is lost. The repeated statement finds no row and changes nothing.
 * - Two processes close the lease of a dead process. The row can be deleted once, and only its values are booked.
 * - The lease was overspent, because others took its process for dead. Then `granted` is lower, and `used` rises.
 * - A grant for the same period runs. Periods are locked before leases, in order of user, as in `grants`.
 */
export function closings(leases: readonly LeaseKey[]): Prisma.Sql {
  const only = onlyUser(leases);
  return Prisma.sql`
  WITH due AS MATERIALIZED (
    SELECT r.* FROM (SELECT process, user_key, ${KEY_DATES}
        FROM unnest(${keyColumns(leases)}) AS r(process, user_key, start_ms, date_ms) ORDER BY user_key) r
      LEFT JOIN LATERAL (SELECT used FROM usage WHERE user_key = r.user_key AND period_start = r.period_start
        ${only('user_key')} FOR UPDATE) u ON true),
  gone AS (
    DELETE FROM lease l USING due d WHERE l.user_key = d.user_key AND l.process = d.process
      AND l.period_start = d.period_start AND l.date = d.date ${only('l.user_key')}
    RETURNING l.*),
  returned AS (
    UPDATE usage u SET used = u.used + g.spent - g.granted FROM gone g
    WHERE u.user_key = g.user_key AND u.period_start = g.period_start AND g.spent <> g.granted ${only('u.user_key')}),
  counted AS (
    INSERT INTO usage_day (user_key, date, calls)
    SELECT user_key, date, spent FROM gone WHERE spent <> 0 ORDER BY user_key
    ON CONFLICT (user_key, date) DO UPDATE SET calls = usage_day.calls + excluded.calls),
  detailed AS (
    INSERT INTO usage_detail (user_key, date, key_id, path, calls)
    SELECT user_key, date, key_id, path, sum(calls) FROM (${DETAILS}) c
    GROUP BY 1, 2, 3, 4 HAVING sum(calls) <> 0 ORDER BY 1, 2, 3, 4
    ON CONFLICT (user_key, date, key_id, path) DO UPDATE SET calls = usage_detail.calls + excluded.calls)
  SELECT count(*)::int AS closed FROM gone`;
}
