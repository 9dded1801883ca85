import { isoDate } from '#core/clock';
import { epochMs } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Totals, UsageBy } from '#ledger/usage/call-details';
import { limitOf } from '#ledger/usage/period-limit-store';

/** A lease as the database knows it. `key`: as `rowKey` returns it. */
export type ReportedLease = Totals & { key: string; date: string };

export type Counts = {
  used: number;
  /** Null if the period has no row. */
  limit: number | null;
  days: { date: string; calls: number }[];
  /** `name`: the ID of a key, or the number of a path. */
  details: { date: string; name: number; calls: number }[];
  leases: ReportedLease[];
};

/** The calls of a key on a date: the booked ones, and the leases of the date. */
export type KeyCalls = { keyId: number; calls: number; leases: ReportedLease[] };

const LEASE = Prisma.sql`json_build_object(
  'key', concat_ws(' ', l.process, ${epochMs('l.period_start')}::bigint, ${epochMs('l.date::timestamp')}::bigint),
  'date', to_char(l.date, 'YYYY-MM-DD'), 'spent', l.spent, 'keyId', l.key_id, 'path', l.path, 'details', l.details)`;

export const createCountsStatement = (prisma: PrismaClient) => ({
  /**
   * Returns, as of one instant, the calls and the limit of the period (its start in Unix ms), of the newest UTC dates, of
   * the leases and, on request, of the dates by key or path.
   */
  async counts(userKey: number, periodStart: number, newest: number, by?: UsageBy): Promise<Counts> {
    const start = new Date(periodStart);
    const name = by === 'path' ? Prisma.sql`path` : Prisma.sql`key_id`;
    const [row] = await prisma.$queryRaw<[Counts]>`
      WITH held AS (SELECT * FROM lease WHERE user_key = ${userKey}),
      daily AS (
        SELECT to_char(date, 'YYYY-MM-DD') AS date, sum(calls)::int AS calls
        FROM (SELECT date, calls FROM usage_day WHERE user_key = ${userKey}
          UNION ALL SELECT date, spent FROM held) c
        GROUP BY date HAVING sum(calls) > 0 ORDER BY date DESC LIMIT ${newest}),
      detail AS (
        SELECT to_char(date, 'YYYY-MM-DD') AS date, ${name} AS name, sum(calls)::int AS calls FROM usage_detail
        WHERE ${by !== undefined}::boolean AND user_key = ${userKey}
          AND date >= (SELECT min(date) FROM daily)::date GROUP BY 1, 2)
      SELECT (coalesce(u.used, 0) - coalesce((SELECT sum(granted - spent) FROM held WHERE period_start = ${start}), 0))::int
          AS used,
        CASE WHEN u.user_key IS NOT NULL THEN ${limitOf('u', 'a')}::float8 END AS "limit",
        coalesce((SELECT json_agg(daily) FROM daily), '[]') AS days,
        coalesce((SELECT json_agg(detail) FROM detail), '[]') AS details,
        coalesce((SELECT json_agg(${LEASE}) FROM held l), '[]') AS leases
      FROM (SELECT ${userKey}::int AS key) k LEFT JOIN "user" a ON a.key = ${userKey}
        LEFT JOIN usage u ON u.user_key = ${userKey} AND u.period_start = ${start}`;
    return row;
  },

  /** Returns the calls of keys on a date (its start in Unix ms), with their requests to the node, as of one instant. */
  keyCalls(keys: readonly { userKey: number; keyId: number }[], date: number): Promise<KeyCalls[]> {
    const userKeys = keys.map(({ userKey }) => userKey);
    const keyIds = keys.map(({ keyId }) => keyId);
    return prisma.$queryRaw<KeyCalls[]>`
      WITH booked AS MATERIALIZED (
        SELECT user_key, key_id, sum(calls)::int AS calls FROM usage_detail
        WHERE user_key = ANY (${userKeys}::int[]) AND key_id = ANY (${keyIds}::int[]) AND date = ${isoDate(date)}::date
        GROUP BY 1, 2),
      held AS MATERIALIZED (
        SELECT user_key, json_agg(${LEASE}) AS leases FROM lease l
        WHERE user_key = ANY (${userKeys}::int[]) AND date = ${isoDate(date)}::date GROUP BY 1),
      node AS MATERIALIZED (
        SELECT user_key, id AS key_id, node_requests AS requests FROM api_key
        WHERE user_key = ANY (${userKeys}::int[]) AND id = ANY (${keyIds}::int[]) AND node_date = ${isoDate(date)}::date)
      SELECT a.key_id AS "keyId", coalesce(b.calls, 0) + coalesce(n.requests, 0) AS calls, coalesce(h.leases, '[]') AS leases
      FROM unnest(${userKeys}::int[], ${keyIds}::int[]) AS a(user_key, key_id)
        LEFT JOIN booked b USING (user_key, key_id) LEFT JOIN held h USING (user_key)
        LEFT JOIN node n USING (user_key, key_id)`;
  },

  /**
   * Adds requests of URL keys to the node on a date (its start in Unix ms). Another process may add to the same row: the
   * update then waits, and adds to the new count.
   */
  async addNodeRequests(
    added: readonly { userKey: number; keyId: number; requests: number }[],
    date: number,
  ): Promise<void> {
    const userKeys = added.map(({ userKey }) => userKey);
    const keyIds = added.map(({ keyId }) => keyId);
    const requests = added.map((one) => one.requests);
    await prisma.$executeRaw`
      UPDATE api_key k SET node_date = ${isoDate(date)}::date,
        node_requests = a.requests + CASE WHEN k.node_date = ${isoDate(date)}::date THEN k.node_requests ELSE 0 END
      FROM unnest(${userKeys}::int[], ${keyIds}::int[], ${requests}::int[]) AS a(user_key, id, requests)
      WHERE k.user_key = a.user_key AND k.id = a.id`;
  },

  /** The labels and first characters of a user's stored keys. */
  keyNames: (userKey: number): Promise<{ id: number; label: string | null; start: string | null }[]> =>
    prisma.apiKey.findMany({ where: { userKey }, select: { id: true, label: true, start: true } }),
});

export type CountsStore = ReturnType<typeof createCountsStatement>;
