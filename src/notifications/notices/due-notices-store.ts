import { DAY, iso, SECOND } from '#core/clock';
import { Prisma } from '#generated/prisma/client';
import { boundary, PLAN_NAMES } from '#users/plan';
import { CHANNELS } from '../channels/channels.ts';
import { DAYS_BEFORE_END } from '../notice.ts';
import { THRESHOLDS } from './notice-settings-store.ts';

/** SQL condition: a user `u` with the settings `s` receives notices. */
const IS_WATCHED = Prisma.sql`u.erased_at IS NULL
  AND (${Prisma.raw(CHANNELS.map(({ setting }) => setting.isOn).join(' OR '))})`;

const KINDS = Prisma.join(
  CHANNELS.map(({ kind, setting }) => Prisma.sql`SELECT ${kind} AS kind WHERE ${Prisma.raw(setting.isOn)}`),
  ' UNION ALL ',
);

/** SQL fragment: adds the messages of the notices `fresh` (id, user_key), and returns the number of notices. */
const addMessagesOfFresh = Prisma.sql`
  added AS (
    INSERT INTO outbox_message (id, kind, user_key, payload)
    SELECT gen_random_uuid(), channel.kind, user_key, json_build_object('notice', fresh.id)
    FROM fresh JOIN "user" u ON u.key = fresh.user_key LEFT JOIN notice_settings s USING (user_key)
      CROSS JOIN LATERAL (${KINDS}) AS channel)
  SELECT count(*)::int AS added FROM fresh`;

const MAX_PER_STATEMENT = 1_000;

/**
 * Finds users whose validity ends soon, and adds all their messages or none. Returns the number of notices. If several
 * thresholds (days before the end) have been reached, reports only the smallest. A user without a renewable key
 * receives no notice. Race: two processes may run this statement at once, but the unique index allows one notice per
 * event.
 * @param now in Unix ms
 */
export const addValidityNotices = (now: number): Prisma.Sql => Prisma.sql`
  WITH ending AS (
    SELECT u.key, u.valid_until, (SELECT min(days) FROM unnest(${DAYS_BEFORE_END}::int[]) AS d(days)
      WHERE u.valid_until <= ${iso(now)}::timestamptz + make_interval(days => days)) AS days
    FROM "user" u LEFT JOIN notice_settings s ON s.user_key = u.key
    WHERE ${IS_WATCHED} AND u.valid_until > ${iso(now)}::timestamptz
      AND u.valid_until <= ${iso(now)}::timestamptz + make_interval(days => ${Math.max(...DAYS_BEFORE_END)}::int)),
  fresh AS (
    INSERT INTO notice (id, user_key, kind, concerns, threshold, seen_at, reported_at)
    SELECT gen_random_uuid(), key, 'validity', valid_until, days, clock_timestamp(), clock_timestamp()
    FROM ending LEFT JOIN LATERAL (SELECT true AS is_told FROM notice n WHERE n.user_key = key
        AND n.kind = 'validity' AND n.concerns = valid_until AND n.threshold <= days LIMIT 1) n ON true
    WHERE is_told IS NULL
      AND EXISTS (SELECT FROM api_key k WHERE k.user_key = key AND k.revoked_at IS NULL)
    LIMIT ${MAX_PER_STATEMENT} ON CONFLICT DO NOTHING RETURNING id, user_key),
  ${addMessagesOfFresh}`;

/** A period that ended less than this many days ago is still checked, because its last calls may be settled late. */
const DAYS_AFTER_END = 7;
const NOTED_AT_ONCE = 1_000;

/** SQL: the calls allowed in the period `p` of the user `u`. */
const LIMIT = Prisma.sql`least(coalesce(p."limit", u."limit")::bigint + p.credits, 2147483647)::int`;

/** SQL query: the periods in which so many calls are spent or leased that a threshold may have been reached. */
const busyOf = (plan: string, from: string): Prisma.Sql => Prisma.sql`
  SELECT p.user_key, p.period_start, p.used, ${LIMIT} AS "limit", ${THRESHOLDS} AS thresholds
  FROM "user" u LEFT JOIN notice_settings s ON s.user_key = u.key JOIN usage p ON p.user_key = u.key
  WHERE u.plan = ${plan}::plan AND ${IS_WATCHED} AND p.period_start > ${from}::timestamptz
    AND p.used::bigint * 100 >= ${LIMIT}::bigint * (${THRESHOLDS})[1]`;

const busy = (now: number): Prisma.Sql => {
  const each = PLAN_NAMES.map((plan) => busyOf(plan, iso(boundary(plan, now, -1) - DAYS_AFTER_END * DAY)));
  return Prisma.join(each, ' UNION ALL ');
};

/** A threshold that a user's calls have reached in a period. */
export type PassedThreshold = { userKey: number; periodStart: Date; threshold: number; calls: number; limit: number };

/**
 * Finds users whose calls have reached one of their thresholds, which was not reported yet. Granted calls count, except
 * the calls that leases have not spent. Leases are therefore read only where `used`, which contains spent and unspent
 * calls, reaches a threshold. Each notice is looked up by its key (`LIMIT`). Otherwise, the planner might compare all rows
 * with all other rows, because it does not know how many rows a step returns.
 * @param now in Unix ms
 */
export const findPassedThresholds = (now: number): Prisma.Sql => Prisma.sql`
  WITH busy AS (${busy(now)}),
  likely AS MATERIALIZED ( -- thresholds that may have been passed, and were not reported
    SELECT b.*, t.threshold
    FROM busy b CROSS JOIN LATERAL unnest(b.thresholds) AS t(threshold)
      LEFT JOIN LATERAL (SELECT true AS is_told FROM notice n WHERE n.user_key = b.user_key AND n.kind = 'usage'
        AND n.concerns = b.period_start AND n.threshold = t.threshold AND n.reported_at IS NOT NULL LIMIT 1) AS n ON true
    WHERE b.used::bigint * 100 >= b."limit"::bigint * t.threshold AND is_told IS NULL),
  held AS MATERIALIZED ( -- the unspent calls, which each node of a cluster adds up for its own users
    SELECT l.user_key, l.period_start, sum(l.granted - l.spent)::int AS unspent
    FROM lease l JOIN (SELECT DISTINCT user_key, period_start FROM likely) p USING (user_key, period_start) GROUP BY 1, 2)
  SELECT user_key AS "userKey", period_start AS "periodStart", threshold, calls, "limit"
  FROM likely LEFT JOIN held USING (user_key, period_start)
    CROSS JOIN LATERAL (SELECT likely.used - coalesce(held.unspent, 0) AS calls) c
  WHERE calls > 0 AND calls::bigint * 100 >= "limit"::bigint * threshold`;

/**
 * Adds the messages of passed thresholds, all or nothing. Returns the number of notices. A failed call is refunded
 * after it was counted. A reached threshold is therefore first noted (`seen_at`), and reported by a later run if usage
 * is still at or above it. Otherwise, the note is deleted. This is a separate statement, because a cluster does not
 * execute a statement that reads the ledger and changes other tables.
 *
 * Race: two processes may run this statement at once. The unique index allows one note per event. If both processes
 * report an event, the second waits for the row and finds the event reported.
 * @param staysMs how long usage must stay at or above a threshold before it is reported
 */
export const addUsageNotices = (passed: readonly PassedThreshold[], staysMs: number): Prisma.Sql => Prisma.sql`
  WITH passed AS MATERIALIZED (
    SELECT p.*, n.id, n.seen_at
    FROM json_to_recordset(${JSON.stringify(passed)}::json)
        AS p("userKey" int, "periodStart" timestamptz, threshold int, calls int, "limit" int)
      LEFT JOIN LATERAL (SELECT * FROM notice n WHERE n.user_key = p."userKey" AND n.kind = 'usage'
        AND n.concerns = p."periodStart" AND n.threshold = p.threshold LIMIT 1) AS n ON true
    WHERE n.reported_at IS NULL),
  noted AS (
    INSERT INTO notice (id, user_key, kind, concerns, threshold, seen_at)
    SELECT gen_random_uuid(), "userKey", 'usage', "periodStart", threshold, clock_timestamp()
    FROM passed WHERE id IS NULL LIMIT ${NOTED_AT_ONCE} ON CONFLICT DO NOTHING),
  withdrawn AS (
    -- By their keys, because a cluster executes this after the insertion.
    DELETE FROM notice WHERE reported_at IS NULL
      AND (user_key, concerns, threshold) NOT IN (SELECT "userKey", "periodStart", threshold FROM passed)),
  due AS MATERIALIZED (
    SELECT id, calls, "limit" FROM passed
    WHERE seen_at NOT BETWEEN clock_timestamp() - make_interval(secs => ${staysMs / SECOND}::float8)
      AND clock_timestamp()),
  fresh AS (
    UPDATE notice n SET reported_at = (SELECT clock_timestamp()), used = due.calls, "limit" = due."limit" FROM due
    WHERE n.id = due.id AND n.reported_at IS NULL
    RETURNING n.id, n.user_key),
  ${addMessagesOfFresh}`;
