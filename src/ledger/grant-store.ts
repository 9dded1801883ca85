import { arrayOf } from '#database/values';
import { Prisma } from '#generated/prisma/client';
import { limitOf } from '#ledger/usage/period-limit-store';

/** The key of a lease. Instants are in Unix ms; `date` is the midnight of a UTC date. */
export type LeaseKey = { process: string; userKey: number; periodStart: number; date: number };

export type GrantRequest = LeaseKey & {
  /** The total of spent calls, as the process knows it. */
  spent: number;
  /** The total of calls that the lease should hold, spent calls included. With fewer than it holds, it returns calls. */
  want: number;
  /** The minimum of unspent calls after a grant. If fewer calls are left, none are granted. */
  need: number;
  /** The key and the path of the lease's first call. */
  keyId: number;
  path: number;
};

export type GrantState = {
  /** The number of the request, from 1. */
  n: number;
  /** The total of calls that the lease holds. */
  granted: number;
  /** Null if the database does not know the user. */
  limit: number | null;
  /** Calls of the period that no lease holds. Negative if the limit was lowered below the granted calls. */
  left: number;
  /** If the request was refused: the unspent calls of the user's leases in the period that other processes hold. */
  held: number | null;
};

/** SQL columns of lease keys, for `unnest`. */
export const keyColumns = (keys: readonly LeaseKey[]): Prisma.Sql =>
  Prisma.join([
    arrayOf(
      'uuid',
      keys.map(({ process }) => process),
    ),
    arrayOf(
      'int',
      keys.map(({ userKey }) => userKey),
    ),
    arrayOf(
      'bigint',
      keys.map(({ periodStart }) => periodStart),
    ),
    arrayOf(
      'bigint',
      keys.map(({ date }) => date),
    ),
  ]);

/** SQL: the period's start and the date of a lease key whose columns are instants in Unix ms. */
export const KEY_DATES = Prisma.sql`to_timestamp(start_ms / 1000.0) AS period_start,
  (to_timestamp(date_ms / 1000.0) AT TIME ZONE 'UTC')::date AS date`;

/** SQL condition: names the user if there is only one, because a cluster runs a statement that names its user on one node. */
export function onlyUser(keys: readonly LeaseKey[]): (column: string) => Prisma.Sql {
  const [first, ...others] = keys;
  if (first === undefined || others.some(({ userKey }) => userKey !== first.userKey)) return () => Prisma.empty;
  return (column) => Prisma.sql`AND ${Prisma.raw(column)} = ${first.userKey}::int`;
}

/** How long a process lives after its last sign, and how long after that others may return its calls, in seconds. */
export const PROCESS_SECONDS = 20;
export const SWEEP_SECONDS = 10;

/**
 * Raises or lowers the calls of leases, at most one lease of each user, and raises or lowers `usage.used` by the same
 * number. A lease is granted what it wants, but at most a quarter of the calls that are left, unless its callers need
 * more. A request without a state must be repeated. Races:
 * - Two processes want the last calls. Each locks the period's row before it reads how many calls are left. `FOR UPDATE`
 *   reads the row again after waiting. Rows are locked in order of user, and usage before leases, to prevent deadlocks.
 * - Two processes open a period. Both insert its row with their grant. The second insertion does nothing, and its request
 *   has no state.
 * - A process repeats a statement that still runs after its deadline. `FOR UPDATE` on the lease makes the second wait,
 *   and both change `granted` and `used` by the same number, so they never differ.
 * - A process spends calls while this statement lowers its lease. It lowers the lease in memory before it sends this.
 * - A failover lost the lease, and maybe its period. Both are inserted again, with all calls that were spent.
 * - A failover lost the user. The limit is unknown, so nothing is granted.
 */
export function grants(requests: readonly GrantRequest[], report: number): Prisma.Sql {
  const column = (name: 'spent' | 'want' | 'need' | 'keyId' | 'path') =>
    arrayOf(
      'int',
      requests.map((request) => request[name]),
    );
  const only = onlyUser(requests);
  return Prisma.sql`
  WITH request AS MATERIALIZED ( -- the requests with their periods and leases, which are locked
    SELECT r.*, u.used, u."limit", u.credits, l.granted, l.spent AS reported
    FROM (SELECT n, process, user_key, ${KEY_DATES}, spent, want, need, key_id, path
        FROM unnest(${keyColumns(requests)}, ${column('spent')}, ${column('want')}, ${column('need')},
          ${column('keyId')}, ${column('path')}) WITH ORDINALITY
          AS r(process, user_key, start_ms, date_ms, spent, want, need, key_id, path, n) ORDER BY user_key) r
      LEFT JOIN LATERAL (SELECT * FROM usage WHERE user_key = r.user_key AND period_start = r.period_start
        ${only('user_key')} FOR UPDATE) u ON true
      LEFT JOIN LATERAL (SELECT * FROM lease WHERE user_key = r.user_key AND process = r.process
        AND period_start = r.period_start AND date = r.date ${only('user_key')} FOR UPDATE) l ON true),
  step AS MATERIALIZED ( -- how many calls each lease gains or returns
    SELECT r.*, lim, used IS NULL AS is_first,
      CASE WHEN lim IS NULL THEN 0
        WHEN want <= holds THEN greatest(want, reported, 0) - holds
        WHEN lacks > left_before THEN 0
        ELSE greatest(0, least(want - holds, greatest(lacks, ceil(left_before / 4.0)::int))) END AS amount
    FROM request r LEFT JOIN "user" a ON a.key = r.user_key ${only('a.key')}
      CROSS JOIN LATERAL (SELECT coalesce(granted, 0) AS holds, ${limitOf('r', 'a')} AS lim) h
      CROSS JOIN LATERAL (SELECT lim - coalesce(used, 0) AS left_before, r.spent + need - holds AS lacks) f),
  raised AS (
    UPDATE usage u SET used = u.used + s.amount FROM step s
    WHERE u.user_key = s.user_key AND u.period_start = s.period_start AND s.amount <> 0 ${only('u.user_key')}),
  opened AS (
    INSERT INTO usage (user_key, period_start, used)
    SELECT user_key, period_start, amount FROM step WHERE is_first AND lim IS NOT NULL ON CONFLICT DO NOTHING
    RETURNING user_key),
  sure AS MATERIALIZED ( -- without the periods that another process opened
    SELECT * FROM step WHERE NOT is_first OR lim IS NULL OR user_key IN (SELECT user_key FROM opened)),
  held AS (
    INSERT INTO lease (user_key, process, period_start, date, report, spent, granted, key_id, path)
    SELECT user_key, process, period_start, date, ${report}::int, spent, amount, key_id, path
    FROM sure WHERE amount <> 0 OR (granted IS NULL AND spent > 0 AND lim IS NOT NULL)
    ON CONFLICT (user_key, process, period_start, date) DO UPDATE SET granted = lease.granted + excluded.granted)
  SELECT n::int, coalesce(granted, 0) + amount AS granted, lim::float8 AS "limit",
    coalesce(lim - coalesce(used, 0) - amount, 0)::float8 AS "left", o.held::int
  FROM sure s LEFT JOIN LATERAL (
    SELECT sum(l.granted - l.spent) AS held FROM lease l
    WHERE l.user_key = s.user_key AND l.period_start = s.period_start AND l.process <> s.process AND l.granted > l.spent
      AND s.spent + s.need > coalesce(s.granted, 0) + amount ${only('l.user_key')}) o ON true`;
}
