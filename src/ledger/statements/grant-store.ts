import { Prisma } from '#generated/prisma/client';
import { limitOf } from '#ledger/usage/period-limit-store';
import { isLeaseOf, type LeaseKey, leaseRows, onlyUsers } from './lease-rows-store.ts';

/** A lease without a row: the key and the path of its first call. */
export type NewLease = LeaseKey & { keyId: number; path: number };

/** `want` and `need` are totals of calls, spent calls included. */
export type GrantRequest = LeaseKey & {
  /**
   * The calls that the lease should hold. If the lease holds more calls, it returns the surplus, but no spent calls.
   */
  want: number;
  /** If it cannot hold this number, none are granted. */
  need: number;
};

export type GrantState = {
  /** The number of the request, from 1. */
  n: number;
  /** The total of calls that the lease holds. */
  granted: number;
  limit: number;
  /** Calls of the period that no lease holds. Negative if the limit was lowered below the granted calls. */
  left: number;
  /** If the request was refused: the unspent calls of the user's leases in the period that other processes hold. */
  held: number | null;
};

/**
 * Inserts the periods of leases, and then the leases without calls. `report` is stored in the leases, so that earlier
 * reports do not change them. These are separate statements, because a cluster runs a statement that only updates rows
 * of one shard on one node. Races:
 * - Two processes open a period. The second insertion does nothing.
 * - A failover lost the user. Nothing is inserted.
 */
export function openings(leases: readonly NewLease[], report: number, isDistributed: boolean): Prisma.Sql[] {
  const only = onlyUsers(leases, isDistributed);
  const rows = leaseRows(leases, {
    key_id: ['int', ({ keyId }) => keyId],
    path: ['int', ({ path }) => path],
  });
  return [
    Prisma.sql`
  INSERT INTO usage (user_key, period_start) SELECT r.user_key, r.period_start
  FROM ${rows} r JOIN "user" a ON a.key = r.user_key ORDER BY 1 ON CONFLICT DO NOTHING`,
    Prisma.sql`
  INSERT INTO lease (user_key, process, period_start, date, report, spent, granted, key_id, path)
  SELECT u.user_key, r.process, u.period_start, r.date, ${report}::int, 0, 0, r.key_id, r.path
  FROM ${rows} r JOIN usage u ON u.user_key = r.user_key AND u.period_start = r.period_start ${only('u.user_key')}
  ORDER BY 1 ON CONFLICT DO NOTHING`,
  ];
}

/**
 * Raises or lowers the calls of leases, at most one lease of each user, and raises or lowers `usage.used` by the same
 * number. A lease is granted what it wants, but at most a quarter of the calls that are left, unless its callers need
 * more. A lease without a row has no state. Races:
 * - Two processes want the last calls. Each locks the period's row before it reads how many calls are left. `FOR UPDATE`
 *   reads the row again after waiting. Rows are locked in order of user, and usage before leases, to prevent deadlocks.
 * - A process repeats a statement that still runs after its deadline. `FOR UPDATE` on the lease makes the second wait,
 *   and both change `granted` and `used` by the same number, so they never differ.
 * - A process spends calls while this statement lowers its lease. It lowers the lease in memory before it sends this.
 */
export function grants(requests: readonly GrantRequest[], isDistributed: boolean): Prisma.Sql {
  const only = onlyUsers(requests, isDistributed);
  const rows = leaseRows(requests, { want: ['int', ({ want }) => want], need: ['int', ({ need }) => need] });
  return Prisma.sql`
  WITH request AS MATERIALIZED ( -- the requests with their periods and leases, which are locked
    SELECT r.*, u.used, u."limit", u.credits, l.granted, l.spent FROM ${rows} r
      CROSS JOIN LATERAL (SELECT * FROM usage WHERE user_key = r.user_key AND period_start = r.period_start
        ${only('user_key')} FOR UPDATE) u
      CROSS JOIN LATERAL (SELECT * FROM lease l WHERE ${isLeaseOf} AND l.user_key = u.user_key
        ${only('l.user_key')} FOR UPDATE) l),
  step AS MATERIALIZED ( -- how many calls each lease gains or returns
    SELECT r.*, lim,
      CASE WHEN want <= granted THEN greatest(want, spent, 0) - granted
        WHEN need - granted > lim - used THEN 0
        ELSE greatest(0, least(want - granted, greatest(need - granted, ceil((lim - used) / 4.0)::int))) END AS amount
    FROM request r JOIN "user" a ON a.key = r.user_key
      CROSS JOIN LATERAL (SELECT ${limitOf('r', 'a')} AS lim) h),
  raised AS (
    UPDATE usage u SET used = u.used + s.amount FROM step s
    WHERE u.user_key = s.user_key AND u.period_start = s.period_start AND s.amount <> 0 ${only('u.user_key')}),
  held AS (
    UPDATE lease l SET granted = l.granted + r.amount FROM step r
    WHERE ${isLeaseOf} AND r.amount <> 0 ${only('l.user_key')})
  SELECT n::int, granted + amount AS granted, lim::float8 AS "limit", (lim - used - amount)::float8 AS "left", o.held::int
  FROM step s LEFT JOIN LATERAL (
    SELECT sum(l.granted - l.spent) AS held FROM lease l
    WHERE l.user_key = s.user_key AND l.period_start = s.period_start AND l.process <> s.process AND l.granted > l.spent
      AND s.need > s.granted + s.amount ${only('l.user_key')}) o ON true`;
}
