import { addMonths, PLAN_NAMES, PLANS } from '#accounts/ledger/plan';
import { DAY, iso, SECOND } from '#core/clock';
import { Prisma } from '#generated/prisma/client';
import { DAYS_BEFORE_END, NOTICE_MAIL, NOTICE_WEBHOOK } from './notice.ts';
import { EMAIL, THRESHOLDS } from './notice-settings-store.ts';

/** A user `u`, with the settings `s`, who gets notices at all. */
export const IS_WATCHED = Prisma.sql`u.erased_at IS NULL AND (${EMAIL} OR s.webhook_url IS NOT NULL)`;

/** The end of a statement that tells of the notices `fresh` (id, user_key): their messages, and how many notices there are. */
export const addMessagesOfFresh = Prisma.sql`
  added AS (
    INSERT INTO outbox_message (id, kind, user_key, payload)
    SELECT gen_random_uuid(), channel.kind, user_key, json_build_object('notice', fresh.id)
    FROM fresh JOIN "user" u ON u.key = fresh.user_key LEFT JOIN notice_settings s USING (user_key)
      CROSS JOIN LATERAL (SELECT ${NOTICE_MAIL} AS kind WHERE ${EMAIL}
        UNION ALL SELECT ${NOTICE_WEBHOOK} WHERE s.webhook_url IS NOT NULL) AS channel)
  SELECT count(*)::int AS told FROM fresh`;

/** Users who are told at once at the most: the next look tells more. */
const TOLD_AT_ONCE = 1_000;

/**
 * The statement that finds whose validity ends soon, and adds the messages that tell them: all or nothing of it is
 * stored. It gives how many notices there are. Of the days before the end the fewest that hold are told: who comes late
 * is told the last alone. Who has no key that could be renewed is not told.
 *
 * Race: two processes may look at once; the unique index has one notice for each event.
 *
 * @param now in Unix ms
 */
export const tellOfEndingValidity = (now: number): Prisma.Sql => Prisma.sql`
  WITH ending AS (
    SELECT u.key, u.valid_until, (SELECT min(days) FROM unnest(${DAYS_BEFORE_END}::int[]) AS d(days)
      WHERE u.valid_until <= ${iso(now)}::timestamptz + make_interval(days => days)) AS days
    FROM "user" u LEFT JOIN notice_settings s ON s.user_key = u.key
    WHERE ${IS_WATCHED} AND u.valid_until > ${iso(now)}::timestamptz
      AND u.valid_until <= ${iso(now)}::timestamptz + make_interval(days => ${Math.max(...DAYS_BEFORE_END)}::int)),
  fresh AS (
    INSERT INTO notice (id, user_key, kind, concerns, threshold, seen_at, told_at)
    SELECT gen_random_uuid(), key, 'validity', valid_until, days, clock_timestamp(), clock_timestamp()
    FROM ending LEFT JOIN LATERAL (SELECT true AS is_told FROM notice n WHERE n.user_key = key
        AND n.kind = 'validity' AND n.concerns = valid_until AND n.threshold <= days LIMIT 1) n ON true
    WHERE is_told IS NULL
      AND EXISTS (SELECT FROM api_key k WHERE k.user_key = key AND k.revoked_at IS NULL)
    LIMIT ${TOLD_AT_ONCE} ON CONFLICT DO NOTHING RETURNING id, user_key),
  ${addMessagesOfFresh}`;

/** A period that ended less than so many days ago is still looked at: its last calls may be settled late. */
const DAYS_AFTER_END = 7;

/** Thresholds that are noted at once at the most: the next look notes more. */
const NOTED_AT_ONCE = 1_000;

/** Of these periods, those of which so many calls are spent or held that a threshold may be passed. */
const busyOf = (plan: string, periods: Prisma.Sql, from: string): Prisma.Sql => Prisma.sql`
  SELECT p.user_key, p.period_start, p.used, p.outstanding, u."limit", ${THRESHOLDS} AS thresholds
  FROM "user" u LEFT JOIN notice_settings s ON s.user_key = u.key ${periods}
  WHERE u.plan = ${plan}::plan AND ${IS_WATCHED} AND p.period_start > ${from}::timestamptz
    AND (p.used + p.outstanding)::bigint * 100 >= u."limit"::bigint * (${THRESHOLDS})[1]`;

/**
 * Those of a monthly plan are found by their start; those of longer ones user by user, since from so far back there are
 * many more rows of monthly plans.
 */
const busy = (now: number): Prisma.Sql => {
  const from = (months: number) => iso(addMonths(now, -months) - DAYS_AFTER_END * DAY);
  const joined = Prisma.sql`JOIN usage p ON p.user_key = u.key`;
  const newest = Prisma.sql`CROSS JOIN LATERAL (
    SELECT * FROM usage WHERE user_key = u.key ORDER BY period_start DESC LIMIT 2) p`;
  const each = PLAN_NAMES.map((plan) => {
    const { months } = PLANS[plan];
    return busyOf(plan, months === 1 ? joined : newest, from(months));
  });
  return Prisma.join(each, ' UNION ALL ');
};

/**
 * The statement that finds who has used so much of the allowance that they are to be told, and adds the messages that
 * tell them: all or nothing of it is stored. It gives how many notices there are.
 *
 * - Calls are those that are booked and those of leases that are not yet. `used + outstanding` is never less: the leases
 *   of those alone are read whom this brings past a threshold of which they were not told.
 * - A call is counted when it is made, and given back when it fails. So a threshold that is passed is noted first
 *   (`seen_at`), and told by a later look if it is passed still; else the note is deleted.
 *
 * Races: two processes may look at once. The unique index has one note for each event, and of two that tell it the
 * second finds, when it has waited for the row, that it is told.
 *
 * A row is read for each user who gets notices, and nothing written but what is told: the ledger does not know of all
 * this. Each notice is looked up by its key (`LIMIT`), and no more than a thousand are under way: the planner, who does not
 * know how many rows a step has, could compare all with all.
 *
 * @param now in Unix ms
 * @param staysMs for how long a threshold has to stay passed before it is told
 */
export const tellOfUsedAllowances = (now: number, staysMs: number): Prisma.Sql => Prisma.sql`
  WITH busy AS (${busy(now)}),
  likely AS MATERIALIZED ( -- thresholds that may be passed, and were not told
    SELECT b.*, t.threshold, n.id, n.seen_at
    FROM busy b CROSS JOIN LATERAL unnest(b.thresholds) AS t(threshold)
      LEFT JOIN LATERAL (SELECT * FROM notice n WHERE n.user_key = b.user_key AND n.kind = 'usage'
        AND n.concerns = b.period_start AND n.threshold = t.threshold LIMIT 1) AS n ON true
    WHERE (b.used + b.outstanding)::bigint * 100 >= b."limit"::bigint * t.threshold AND n.told_at IS NULL),
  passed AS MATERIALIZED (
    SELECT * FROM likely CROSS JOIN LATERAL (
      SELECT used + coalesce(sum(unbooked), 0)::int AS calls FROM lease l
      WHERE l.user_key = likely.user_key AND l.period_start = likely.period_start) c
    WHERE calls > 0 AND calls::bigint * 100 >= "limit"::bigint * threshold),
  noted AS (
    INSERT INTO notice (id, user_key, kind, concerns, threshold, seen_at)
    SELECT gen_random_uuid(), user_key, 'usage', period_start, threshold, clock_timestamp()
    FROM passed WHERE id IS NULL LIMIT ${NOTED_AT_ONCE} ON CONFLICT DO NOTHING),
  withdrawn AS (
    DELETE FROM notice WHERE told_at IS NULL AND id NOT IN (SELECT id FROM passed WHERE id IS NOT NULL)),
  due AS MATERIALIZED (
    SELECT id, calls, "limit" FROM passed
    WHERE seen_at <= clock_timestamp() - make_interval(secs => ${staysMs / SECOND}::float8)),
  fresh AS (
    UPDATE notice n SET told_at = clock_timestamp(), used = due.calls, "limit" = due."limit" FROM due
    WHERE n.id = due.id AND n.told_at IS NULL
    RETURNING n.id, n.user_key),
  ${addMessagesOfFresh}`;
