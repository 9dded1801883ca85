import { PLAN_NAMES, PLANS } from '#accounts/ledger/plan';
import { HOUR, iso, MINUTE, SECOND } from '#core/clock';
import { arrayOf, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

/** Calls are counted in slots of this length, in ms. */
const SLOT = 5 * MINUTE;
/** The slots of the last hour, and the current one. */
const SLOTS = HOUR / SLOT + 1;
/** A lease whose calls may be in the slots has expired no longer ago than this, in ms. */
const RECENT = SLOTS * SLOT;
/** Users per statement that adds rows. */
const ADDED_AT_ONCE = 5_000;
/** Users register concurrently, so a lower record number may become visible after a higher one. */
const LATE = 1_000;

const interval = (ms: number) => Prisma.sql`make_interval(secs => ${ms / SECOND}::float8)`;

const months = Prisma.sql`CASE u.plan ${Prisma.join(
  PLAN_NAMES.map((plan) => Prisma.sql`WHEN ${plan}::plan THEN ${PLANS[plan].months}::int`),
  ' ',
)} END`;
const utc = (column: string) => Prisma.raw(`(${column} AT TIME ZONE 'UTC')`);
const part = (name: string) =>
  Prisma.raw(
    `(extract(${name} FROM p.period_start AT TIME ZONE 'UTC') - extract(${name} FROM u.anchor AT TIME ZONE 'UTC'))`,
  );

/** SQL expression: the end of the period `p`, a boundary counted from the anchor, as `boundary` in `plan.ts`. */
const periodEnd = Prisma.sql`((${utc('u.anchor')}
  + make_interval(months => (12 * ${part('year')} + ${part('month')})::int + ${months})) AT TIME ZONE 'UTC')`;

/** SQL joins for a user `u`: all booked calls, and the newest period, if it belongs to the current term. */
const booked = (now: number) => Prisma.sql`
  CROSS JOIN LATERAL (SELECT coalesce(sum(used), 0)::bigint AS calls FROM usage WHERE user_key = u.key) t
  LEFT JOIN LATERAL (SELECT period_start, used FROM usage
    WHERE user_key = u.key AND period_start <= ${toInstant(now)} AND period_start >= u.anchor
    ORDER BY period_start DESC LIMIT 1) p ON true
  CROSS JOIN LATERAL (SELECT coalesce(${periodEnd}, ${toInstant(now)}) AS resets_at) e`;

/** Summarizes each user's calls, so that users can be sorted by them without an index in the ledger. */
export function createActivityStore(prisma: PrismaClient) {
  return {
    /**
     * Adds the rows of some new users, and returns their number. The calls of a user who registered within the last hour
     * count from 0.
     */
    add: (now: number): Promise<number> => prisma.$executeRaw`
      INSERT INTO user_activity (user_key, calls, used, resets_at, slot, slots, last_hour)
      SELECT u.key, CASE WHEN u.created_at > ${iso(now - HOUR)}::timestamptz THEN 0 ELSE t.calls END,
        CASE WHEN e.resets_at > ${toInstant(now)} THEN coalesce(p.used, 0) ELSE 0 END, e.resets_at,
        ${Math.floor(now / SLOT)}::int, array_fill(0, ARRAY[${SLOTS}::int]), 0
      FROM (
        SELECT * FROM "user" WHERE key > (SELECT coalesce(max(user_key), 0) - ${LATE}::int FROM user_activity)
          AND NOT EXISTS (SELECT FROM user_activity WHERE user_key = key)
        ORDER BY key LIMIT ${ADDED_AT_ONCE}::int) u ${booked(now)}
      ON CONFLICT DO NOTHING`,

    /**
     * Updates the users who made calls in the last hour or whose period has ended. Calls since the last update count
     * toward the current slot, unless that update was too long ago (`isContinuous`).
     */
    update: (now: number, isContinuous: boolean): Promise<number> => prisma.$executeRaw`
      WITH recent AS MATERIALIZED (
        SELECT user_key, sum(unbooked)::int AS unbooked FROM reported_lease
        WHERE expires_at > clock_timestamp() - ${interval(RECENT)} GROUP BY user_key),
      due AS MATERIALIZED (
        SELECT user_key FROM recent
        UNION SELECT user_key FROM user_activity WHERE last_hour > 0
        UNION SELECT user_key FROM user_activity WHERE resets_at <= ${toInstant(now)} AND used > 0),
      counted AS MATERIALIZED (
        SELECT a.user_key, t.calls + coalesce(r.unbooked, 0) AS calls, e.resets_at,
          CASE WHEN e.resets_at > ${toInstant(now)} THEN coalesce(p.used, 0) + coalesce(r.unbooked, 0) ELSE 0 END AS used,
          (array_fill(0, ARRAY[greatest(0, least(${SLOTS}::int, ${Math.floor(now / SLOT)}::int - a.slot))]) || a.slots)
            [1:${SLOTS}::int] AS slots,
          CASE WHEN ${isContinuous}::boolean THEN greatest(0, t.calls + coalesce(r.unbooked, 0) - a.calls) ELSE 0 END AS fresh
        FROM due JOIN user_activity a USING (user_key) JOIN "user" u ON u.key = a.user_key
          LEFT JOIN recent r USING (user_key) ${booked(now)}),
      summed AS MATERIALIZED (
        SELECT *, (fresh + (SELECT sum(calls) FROM unnest(slots) AS s(calls)))::int AS last_hour FROM counted)
      UPDATE user_activity a SET calls = s.calls, used = s.used, resets_at = s.resets_at,
        slot = ${Math.floor(now / SLOT)}::int, last_hour = s.last_hour,
        slots = ARRAY[(s.slots[1] + s.fresh)::int] || s.slots[2:${SLOTS}::int]
      FROM summed s WHERE a.user_key = s.user_key
        AND (a.calls, a.used, a.last_hour, a.resets_at) IS DISTINCT FROM (s.calls, s.used, s.last_hour, s.resets_at)`,

    /** The calls of the last hour by user. Users without a row are omitted. */
    async lastHours(userKeys: readonly number[]): Promise<Map<number, number>> {
      const rows = await prisma.$queryRaw<{ key: number; calls: number }[]>`
        SELECT user_key AS key, last_hour AS calls
        FROM unnest(${arrayOf('int', userKeys)}) AS asked(user_key) JOIN user_activity USING (user_key)`;
      return new Map(rows.map(({ key, calls }) => [key, calls]));
    },
  };
}

export type ActivityStore = ReturnType<typeof createActivityStore>;
export { ADDED_AT_ONCE };
