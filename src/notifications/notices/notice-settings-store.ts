import { iso } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Authority } from '#users/authority';
import { changeUser } from '#users/user-changes';
import { CHANNELS, type ChannelSettings } from '../channels/channels.ts';
import { DEFAULT_THRESHOLDS } from '../notice.ts';

export type NoticeSettings = ChannelSettings & { thresholds: number[] };

/** SQL expression for a user `u`, whose row `s` may not exist. */
export const THRESHOLDS = Prisma.sql`coalesce(s.thresholds, ${DEFAULT_THRESHOLDS}::int[])`;

const list = (part: (setting: (typeof CHANNELS)[number]['setting']) => string) =>
  Prisma.raw(CHANNELS.map(({ setting }) => part(setting)).join(', '));

/** SQL list: the settings of the channels by member. */
export const SETTINGS = list(({ value, member }) => `${value} AS "${member}"`);

export function createNoticeSettingsStore(prisma: PrismaClient) {
  return {
    /** Returns the defaults if nothing is stored. */
    async find(userKey: number): Promise<NoticeSettings | undefined> {
      const [row] = await prisma.$queryRaw<NoticeSettings[]>`
        SELECT ${SETTINGS}, ${THRESHOLDS} AS thresholds
        FROM "user" u LEFT JOIN notice_settings s ON s.user_key = u.key WHERE u.key = ${userKey}`;
      return row;
    },

    /**
     * `isSecretNew` is true if the new secret was stored, which is the case for a new address or if `isRotated`. The
     * previous secret remains valid until `graceEnds` (Unix ms). Race: this is a single statement, so two requests with
     * the same address store only one secret.
     */
    put: (
      authority: Authority,
      settings: NoticeSettings,
      { secret, isRotated, graceEnds }: { secret: string; isRotated: boolean; graceEnds: number },
    ): Promise<NoticeSettings & { isSecretNew: boolean }> =>
      changeUser(prisma, authority, async (tx) => {
        const { webhookUrl, thresholds } = settings;
        const values = CHANNELS.map(({ setting }) => {
          const type = Prisma.raw(setting.type);
          return Prisma.sql`${settings[setting.member]}::${type}`;
        });
        const stays = Prisma.sql`held.webhook_url = excluded.webhook_url`;
        const rotated = Prisma.sql`${stays} AND ${isRotated}::boolean`;
        const [row] = await tx.$queryRaw<[NoticeSettings & { isSecretNew: boolean }]>`
        INSERT INTO notice_settings AS held (user_key, ${list(({ column }) => column)}, thresholds, secret)
        VALUES (${authority.userKey}::int, ${Prisma.join(values)}, ${thresholds}::int[],
          CASE WHEN ${webhookUrl}::text IS NOT NULL THEN ${secret}::text END)
        ON CONFLICT (user_key) DO UPDATE SET ${list(({ column }) => `${column} = excluded.${column}`)},
          thresholds = excluded.thresholds,
          secret = CASE WHEN ${stays} AND NOT ${isRotated}::boolean THEN held.secret ELSE excluded.secret END,
          previous_secret = CASE WHEN ${rotated} THEN held.secret WHEN ${stays} THEN held.previous_secret END,
          previous_until = CASE WHEN ${rotated} THEN ${iso(graceEnds)}::timestamptz
            WHEN ${stays} THEN held.previous_until END
        RETURNING ${list(({ column, member }) => `${column} AS "${member}"`)}, thresholds,
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
