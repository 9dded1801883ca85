import { limitOf } from '#accounts/usage/period-limit-store';
import { isoDate } from '#core/clock';
import { arrayOf } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

/** A lease as the database knows it: the reported totals, the calls among them that are not booked, and the details. */
export type ReportedLease = {
  id: string;
  date: string;
  spent: number;
  unbooked: number;
  keyId: number | null;
  path: number | null;
  details: number[] | null;
  booked: number[] | null;
};

export type UsageBy = 'key' | 'path';
/** `name`: the ID of a key, or the number of a path. */
export type BookedDetail = { date: string; name: number; calls: number };

export type Counts = {
  used: number;
  /** Null if the period has no row. */
  limit: number | null;
  days: { date: string; calls: number }[];
  details: BookedDetail[];
  leases: ReportedLease[];
};

/** The calls of a key on a date: the booked ones, and the leases of the date. */
export type KeyCalls = { keyId: number; calls: number; leases: ReportedLease[] };

const LEASE = Prisma.sql`json_build_object('id', encode(uuid_send(l.id), 'hex'), 'date', to_char(l.date, 'YYYY-MM-DD'),
  'spent', l.spent, 'unbooked', l.unbooked, 'keyId', l.key_id, 'path', l.path, 'details', l.details,
  'booked', l.booked_details)`;

export const createCountsStatement = (prisma: PrismaClient) => ({
  /**
   * Returns, as of one instant, the calls and the limit of the period (its start in Unix ms), of the newest UTC dates, of the leases
   * that are open, named or not booked, and, on request, of the dates by key or path.
   */
  async counts(
    userKey: number,
    periodStart: number,
    leases: readonly string[],
    newest: number,
    by?: UsageBy,
  ): Promise<Counts> {
    const start = new Date(periodStart);
    const name = by === 'path' ? Prisma.sql`path` : Prisma.sql`key_id`;
    const [row] = await prisma.$queryRaw<[Counts]>`
      WITH held AS (SELECT * FROM reported_lease WHERE user_key = ${userKey}),
      daily AS (
        SELECT to_char(date, 'YYYY-MM-DD') AS date, sum(calls)::int AS calls
        FROM (SELECT date, calls FROM usage_day WHERE user_key = ${userKey}
          UNION ALL SELECT date, unbooked FROM held) c
        GROUP BY date HAVING sum(calls) > 0 ORDER BY date DESC LIMIT ${newest}),
      detail AS (
        SELECT to_char(date, 'YYYY-MM-DD') AS date, ${name} AS name, sum(calls)::int AS calls FROM usage_detail
        WHERE ${by !== undefined}::boolean AND user_key = ${userKey}
          AND date >= (SELECT min(date) FROM daily)::date GROUP BY 1, 2)
      SELECT (coalesce((SELECT used FROM usage WHERE user_key = ${userKey} AND period_start = ${start}), 0)
          + coalesce((SELECT sum(unbooked) FROM held WHERE period_start = ${start}), 0))::int AS used,
        (SELECT ${limitOf('usage', 'usage.user_key')} FROM usage
          WHERE user_key = ${userKey} AND period_start = ${start})::float8 AS "limit",
        coalesce((SELECT json_agg(daily) FROM daily), '[]') AS days,
        coalesce((SELECT json_agg(detail) FROM detail), '[]') AS details,
        coalesce((SELECT json_agg(${LEASE}) FROM held l
          WHERE NOT closed OR unbooked <> 0 OR id = ANY(${leases}::uuid[])), '[]') AS leases`;
    return row;
  },

  /** Returns the calls of keys on a date (its start in Unix ms), as of one instant. */
  keyCalls(
    keys: readonly { userKey: number; keyId: number }[],
    date: number,
    leases: readonly string[],
  ): Promise<KeyCalls[]> {
    return prisma.$queryRaw<KeyCalls[]>`
      SELECT a.key_id AS "keyId", coalesce(d.calls, 0) AS calls, coalesce(h.leases, '[]') AS leases
      FROM unnest(
          ${arrayOf(
            'int',
            keys.map(({ userKey }) => userKey),
          )},
          ${arrayOf(
            'int',
            keys.map(({ keyId }) => keyId),
          )}) AS a(user_key, key_id)
        LEFT JOIN LATERAL (SELECT sum(calls)::int AS calls FROM usage_detail
          WHERE user_key = a.user_key AND date = ${isoDate(date)}::date AND key_id = a.key_id) d ON true
        LEFT JOIN LATERAL (SELECT json_agg(${LEASE}) AS leases FROM reported_lease l
          WHERE l.user_key = a.user_key AND l.date = ${isoDate(date)}::date
            AND (NOT closed OR unbooked <> 0 OR id = ANY(${leases}::uuid[]))) h ON true`;
  },

  /** The labels and first characters of a user's stored keys. */
  keyNames: (userKey: number): Promise<{ id: number; label: string | null; start: string | null }[]> =>
    prisma.apiKey.findMany({ where: { userKey }, select: { id: true, label: true, start: true } }),
});

export type CountsStore = ReturnType<typeof createCountsStatement>;
