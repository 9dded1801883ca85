import { HOUR, iso, MINUTE } from '#core/clock';
import { arrayOf, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { PLAN_NAMES, type Plan, periodLength } from '#users/plan';

/** Calls are counted in slots of this length, in ms. */
const SLOT = 5 * MINUTE;
/** The number of slots: the slots of the last hour, and the current slot. */
const SLOTS = HOUR / SLOT + 1;
/** The maximum number of users per statement. */
const AT_ONCE = 5_000;
/** The tolerance for record numbers that become visible after higher ones, because users register concurrently. */
const LATE = 1_000;

const utc = (column: string) => Prisma.raw(`(${column} AT TIME ZONE 'UTC')`);
const part = (name: string) =>
  Prisma.raw(
    `(extract(${name} FROM p.period_start AT TIME ZONE 'UTC') - extract(${name} FROM u.anchor AT TIME ZONE 'UTC'))`,
  );

const monthsSinceAnchor = Prisma.sql`(12 * ${part('year')} + ${part('month')})::int`;

/** SQL: the end of the period `p` of a plan. Months are counted from the anchor, as `boundary` in `plan.ts` does. */
function endOfPeriod(plan: Plan): Prisma.Sql {
  const { months, days } = periodLength(plan);
  return months === 0
    ? Prisma.sql`${utc('p.period_start')} + make_interval(days => ${days}::int)`
    : Prisma.sql`${utc('u.anchor')} + make_interval(months => ${monthsSinceAnchor} + ${months}::int)`;
}

const periodEnd = Prisma.sql`((CASE u.plan ${Prisma.join(
  PLAN_NAMES.map((plan) => Prisma.sql`WHEN ${plan}::plan THEN ${endOfPeriod(plan)}`),
  ' ',
)} END) AT TIME ZONE 'UTC')`;

/**
 * SQL common table expressions that end with `counted`: of some users, all calls; the calls in the newest period, if this
 * period belongs to the current term; and the end of that period, if it has calls. The users are an array: each node of a
 * cluster then reads its own users. Otherwise, the planner would overestimate them and read the calls of all users.
 */
function counted(now: number, userKeys: readonly number[]): Prisma.Sql {
  const keys = Prisma.sql`${userKeys}::int[]`;
  const isOfTerm = Prisma.sql`p.period_start <= ${toInstant(now)} AND p.period_start >= u.anchor`;
  return Prisma.sql`
    total AS MATERIALIZED (
      SELECT p.user_key, sum(p.used)::bigint AS calls, max(p.period_start) FILTER (WHERE ${isOfTerm}) AS period_start,
        (array_agg(p.used ORDER BY p.period_start DESC) FILTER (WHERE ${isOfTerm}))[1] AS used
      FROM usage p JOIN "user" u ON u.key = p.user_key
      WHERE p.user_key = ANY (${keys}) AND u.key = ANY (${keys}) GROUP BY 1),
    held AS MATERIALIZED (
      SELECT l.user_key, sum(l.granted - l.spent)::bigint AS calls,
        coalesce(sum(l.granted - l.spent) FILTER (WHERE l.period_start = t.period_start), 0)::int AS in_period
      FROM lease l JOIN total t ON t.user_key = l.user_key WHERE l.user_key = ANY (${keys}) GROUP BY 1),
    counted AS MATERIALIZED (
      SELECT u.key AS user_key, coalesce(p.calls, 0) - coalesce(l.calls, 0) AS calls, n.used, e.resets_at
      FROM "user" u LEFT JOIN total p ON p.user_key = u.key LEFT JOIN held l ON l.user_key = u.key
        CROSS JOIN LATERAL (
          SELECT CASE WHEN ${periodEnd} > ${toInstant(now)} THEN p.used - coalesce(l.in_period, 0) ELSE 0 END AS used) n
        CROSS JOIN LATERAL (SELECT CASE WHEN n.used > 0 THEN ${periodEnd} ELSE 'infinity' END AS resets_at) e
      WHERE u.key = ANY (${keys}))`;
}

/** A row of `counted`, as JSON. */
type Counted = { user_key: number; calls: number; used: number; resets_at: string };
const fromJson = (rows: readonly Counted[]): Prisma.Sql => Prisma.sql`counted AS MATERIALIZED (
  SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json)
    AS c(user_key int, calls bigint, used int, resets_at timestamptz))`;

type Key = { key: number };
const keysOf = (rows: readonly Key[]): number[] => rows.map(({ key }) => key);

/** SQL: the users whose summary may have changed since an update a few minutes ago. */
const due = (now: number, after: number) => Prisma.sql`
  (SELECT user_key FROM lease WHERE user_key > ${after}::int ORDER BY user_key LIMIT ${AT_ONCE}::int)
  UNION SELECT user_key FROM user_activity WHERE last_hour > 0
  UNION SELECT user_key FROM user_activity WHERE resets_at <= ${toInstant(now)}`;

/** Summarizes each user's calls, so that users can be sorted by them without an index in the ledger. */
export function createActivityStore(prisma: PrismaClient) {
  /** A separate statement, because a cluster rejects a statement that reads the ledger and changes other tables. */
  const count = (now: number, userKeys: readonly number[]): Promise<Counted[]> => prisma.$queryRaw<Counted[]>`
    WITH ${counted(now, userKeys)}
    SELECT user_key, calls::float8 AS calls, used, resets_at::text AS resets_at FROM counted`;

  return {
    /** Adds rows of new users. Returns their number. A user of the last hour starts with 0 calls. */
    async add(now: number): Promise<number> {
      const users = await prisma.$queryRaw<Key[]>`
        SELECT key FROM "user" WHERE key > (SELECT coalesce(max(user_key), 0) - ${LATE}::int FROM user_activity)
          AND key <> ALL (ARRAY(SELECT user_key FROM user_activity ORDER BY user_key DESC LIMIT ${LATE}::int))
        ORDER BY key LIMIT ${AT_ONCE}::int`;
      if (users.length === 0) return 0;
      return prisma.$executeRaw`
        WITH ${fromJson(await count(now, keysOf(users)))}
        INSERT INTO user_activity (user_key, calls, used, resets_at, slot, slots, last_hour)
        SELECT u.key, CASE WHEN u.created_at > ${iso(now - HOUR)}::timestamptz THEN 0 ELSE c.calls END, c.used,
          c.resets_at, ${Math.floor(now / SLOT)}::int, array_fill(0, ARRAY[${SLOTS}::int]), 0
        FROM counted c JOIN "user" u ON u.key = c.user_key WHERE u.key = ANY (${keysOf(users)}::int[])
        ON CONFLICT DO NOTHING`;
    },

    /**
     * Updates some users whose record numbers are above `after`. If the last update was too long ago (not
     * `isContinuous`), all of these users are updated. Otherwise, only users whose summary may have changed are
     * updated. Calls since that update count toward the current slot, unless the update was too long ago. Returns the
     * last record number, or undefined if no users are left.
     */
    async update(now: number, isContinuous: boolean, after: number): Promise<number | undefined> {
      const users = await prisma.$queryRaw<Key[]>`
        SELECT user_key AS key FROM (${isContinuous ? due(now, after) : Prisma.sql`SELECT user_key FROM user_activity`}) AS d
        WHERE user_key > ${after}::int ORDER BY user_key LIMIT ${AT_ONCE}::int`;
      if (users.length === 0) return undefined;
      const slot = Prisma.sql`${Math.floor(now / SLOT)}::int`;
      await prisma.$executeRaw`
        WITH ${fromJson(await count(now, keysOf(users)))},
        moved AS MATERIALIZED (
          SELECT c.*, (array_fill(0, ARRAY[greatest(0, least(${SLOTS}::int, ${slot} - a.slot))]) || a.slots)
              [1:${SLOTS}::int] AS slots,
            CASE WHEN ${isContinuous}::boolean THEN greatest(0, c.calls - a.calls) ELSE 0 END AS fresh
          FROM user_activity a JOIN counted c ON c.user_key = a.user_key
          WHERE a.user_key = ANY (${keysOf(users)}::int[])),
        summed AS MATERIALIZED (
          SELECT *, (fresh + (SELECT sum(calls) FROM unnest(slots) AS s(calls)))::int AS last_hour FROM moved)
        UPDATE user_activity a SET calls = s.calls, used = s.used, resets_at = s.resets_at, slot = ${slot},
          last_hour = s.last_hour, slots = ARRAY[(s.slots[1] + s.fresh)::int] || s.slots[2:${SLOTS}::int]
        FROM summed s WHERE a.user_key = s.user_key
          AND (a.calls, a.used, a.last_hour, a.resets_at) IS DISTINCT FROM (s.calls, s.used, s.last_hour, s.resets_at)`;
      return users.length === AT_ONCE ? users.at(-1)?.key : undefined;
    },

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
export { AT_ONCE };
