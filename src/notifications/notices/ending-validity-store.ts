import { iso } from '#core/clock';
import { Prisma } from '#generated/prisma/client';
import { addMessagesOfFresh, IS_WATCHED } from './add-notices-store.ts';
import { DAYS_BEFORE_END } from './notice.ts';

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
