import { Prisma } from '#generated/prisma/client';
import { NOTICE_MAIL, NOTICE_WEBHOOK } from './notice.ts';
import { EMAIL } from './notice-settings-store.ts';

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
