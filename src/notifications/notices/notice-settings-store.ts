import type { Authority } from '#accounts/keys/api-key';
import type { Users } from '#accounts/users/users';
import { iso } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { DEFAULT_THRESHOLDS } from './notice.ts';

export type NoticeSettings = {
  email: boolean;
  webhookUrl: string | null;
  thresholds: number[];
};

/** SQL expressions for a user `u` whose row `s` may not exist. By default, only verified addresses receive emails. */
export const EMAIL = Prisma.sql`coalesce(s.email, u.verified_at IS NOT NULL)`;
export const THRESHOLDS = Prisma.sql`coalesce(s.thresholds, ${DEFAULT_THRESHOLDS}::int[])`;

export function createNoticeSettingsStore(prisma: PrismaClient, { change }: Pick<Users, 'change'>) {
  return {
    /** Returns the defaults if nothing is stored. */
    async find(userKey: number): Promise<NoticeSettings | undefined> {
      const [row] = await prisma.$queryRaw<NoticeSettings[]>`
        SELECT ${EMAIL} AS email, s.webhook_url AS "webhookUrl", ${THRESHOLDS} AS thresholds
        FROM "user" u LEFT JOIN notice_settings s ON s.user_key = u.key WHERE u.key = ${userKey}`;
      return row;
    },

    /**
     * `isSecretNew` states whether the new secret was stored: for a new address, or if `isRotated`. The previous secret
     * remains valid until `graceEnds` (Unix ms). Race: one statement decides, so two requests with the same address
     * store only one secret.
     */
    put: (
      authority: Authority,
      { email, webhookUrl, thresholds }: NoticeSettings,
      { secret, isRotated, graceEnds }: { secret: string; isRotated: boolean; graceEnds: number },
    ): Promise<(NoticeSettings & { isSecretNew: boolean }) | 'ended'> =>
      change(authority, async (tx) => {
        const stays = Prisma.sql`held.webhook_url = excluded.webhook_url`;
        const rotated = Prisma.sql`${stays} AND ${isRotated}::boolean`;
        const [row] = await tx.$queryRaw<[NoticeSettings & { isSecretNew: boolean }]>`
        INSERT INTO notice_settings AS held (user_key, email, webhook_url, thresholds, secret)
        VALUES (${authority.userKey}::int, ${email}::boolean, ${webhookUrl}::text, ${thresholds}::int[],
          CASE WHEN ${webhookUrl}::text IS NOT NULL THEN ${secret}::text END)
        ON CONFLICT (user_key) DO UPDATE SET email = excluded.email, webhook_url = excluded.webhook_url,
          thresholds = excluded.thresholds,
          secret = CASE WHEN ${stays} AND NOT ${isRotated}::boolean THEN held.secret ELSE excluded.secret END,
          previous_secret = CASE WHEN ${rotated} THEN held.secret WHEN ${stays} THEN held.previous_secret END,
          previous_until = CASE WHEN ${rotated} THEN ${iso(graceEnds)}::timestamptz
            WHEN ${stays} THEN held.previous_until END
        RETURNING email, webhook_url AS "webhookUrl", thresholds,
          coalesce(secret = ${secret}::text, false) AS "isSecretNew"`;
        return row;
      }),

    /** Stops webhooks to an address that rejects them, unless the user has changed the address. */
    async dropWebhook(userKey: number, webhookUrl: string): Promise<void> {
      await prisma.$executeRaw`
        UPDATE notice_settings SET webhook_url = NULL, secret = NULL, previous_secret = NULL, previous_until = NULL
        WHERE user_key = ${userKey}::int AND webhook_url = ${webhookUrl}::text`;
    },
  };
}

export type NoticeSettingsStore = ReturnType<typeof createNoticeSettingsStore>;
