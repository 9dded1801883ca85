import { Prisma } from '#generated/prisma/client';
import { isLeaseOf, type LeaseKey, leaseRows, onlyUsers } from './lease-rows-store.ts';

/**
 * SQL: the spent calls of leases by key and path. All calls that are not in `details` belong to the key and
 * the path of the lease's first call, so the sum is the number of calls that is added to `usage_day`.
 */
const DETAILS = Prisma.sql`CROSS JOIN LATERAL (
    SELECT l.key_id, l.path, l.spent AS calls
    UNION ALL SELECT d.* FROM generate_series(1, cardinality(l.details), 3) AS i
      CROSS JOIN LATERAL (VALUES (l.details[i], l.details[i + 1]::smallint, l.details[i + 2]),
        (l.key_id, l.path, -l.details[i + 2])) AS d(key_id, path, calls)) d
  GROUP BY 1, 2, 3, 4 HAVING sum(d.calls) <> 0`;

/**
 * Removes leases whose spent calls are all reported, at most one lease of each user. Returns their unspent calls to the
 * period, and adds their spent calls to the date, key and path. The first two statements insert the rows that the third
 * raises, because a cluster runs a statement that only changes rows of one shard on one node. Everything comes from the
 * row. Races:
 * - The response is lost. The repeated statement finds no row and changes nothing.
 * - Two processes close the lease of a dead process. The row can be deleted once, and only its values are booked.
 * - The lease was overspent, because other processes considered its process dead. Then `granted` is lower, and `used`
 *   rises.
 * - A grant for the same period runs. Periods are locked before leases, in order of user, as in `grants`.
 */
export function closings(leases: readonly LeaseKey[], isDistributed: boolean): Prisma.Sql[] {
  const only = onlyUsers(leases, isDistributed);
  const rows = leaseRows(leases);
  const stored = Prisma.sql`${rows} r JOIN lease l ON ${isLeaseOf} ${only('l.user_key')}`;
  return [
    Prisma.sql`
  INSERT INTO usage_day (user_key, date, calls) SELECT l.user_key, l.date, 0 FROM ${stored} WHERE l.spent <> 0
  ORDER BY 1 ON CONFLICT DO NOTHING`,
    Prisma.sql`
  INSERT INTO usage_detail (user_key, date, key_id, path, calls) SELECT l.user_key, l.date, d.key_id, d.path, 0
  FROM ${stored} ${DETAILS} ORDER BY 1, 2, 3, 4 ON CONFLICT DO NOTHING`,
    Prisma.sql`
  WITH due AS MATERIALIZED (
    SELECT r.* FROM ${rows} r LEFT JOIN LATERAL (
      SELECT FROM usage WHERE user_key = r.user_key AND period_start = r.period_start ${only('user_key')} FOR UPDATE) u
      ON true),
  l AS (DELETE FROM lease l USING due r WHERE ${isLeaseOf} ${only('l.user_key')} RETURNING l.*),
  returned AS (
    UPDATE usage u SET used = u.used + l.spent - l.granted FROM l
    WHERE u.user_key = l.user_key AND u.period_start = l.period_start AND l.spent <> l.granted ${only('u.user_key')}),
  counted AS (
    UPDATE usage_day u SET calls = u.calls + l.spent FROM l
    WHERE u.user_key = l.user_key AND u.date = l.date AND l.spent <> 0 ${only('u.user_key')})
  UPDATE usage_detail u SET calls = u.calls + d.calls FROM (
    SELECT l.user_key, l.date, d.key_id, d.path, sum(d.calls) AS calls FROM l ${DETAILS}) d
  WHERE u.user_key = d.user_key AND u.date = d.date AND u.key_id = d.key_id AND u.path = d.path ${only('u.user_key')}`,
  ];
}
