import type { Authority } from '#accounts/keys/api-key';
import { notActive } from '#accounts/keys/key-problems';
import { type Clock, DAY } from '#core/clock';
import { mintWebhookSecret } from '#notifications/sources/signature';
import type { NoticeSettings, NoticeSettingsStore } from './notice-settings-store.ts';

/** For so long, in ms, webhooks are signed with the secret before the rotated one too. */
const SECRET_GRACE = DAY;

type Dependencies = { store: NoticeSettingsStore; clock: Clock };

/** Which notices users get, and where; users are named by their record number. */
export function createNotices({ store, clock }: Dependencies) {
  return {
    /** The settings of a user; those of one who has set none are the defaults. */
    async of(userKey: number): Promise<NoticeSettings> {
      const settings = await store.find(userKey);
      if (!settings) throw notActive();
      return settings;
    },

    /**
     * Sets them; with the secret of the webhook where that is another than before: for an address that is new or changed,
     * and where it is to be rotated.
     */
    async set(
      authority: Authority,
      { rotateSecret: isRotated, ...settings }: NoticeSettings & { rotateSecret: boolean },
    ): Promise<NoticeSettings & { webhookSecret?: string }> {
      const secret = mintWebhookSecret();
      const graceEnds = clock.now() + SECRET_GRACE;
      const stored = await store.put(authority, settings, { secret, isRotated, graceEnds });
      if (stored === 'ended') throw notActive();
      const { isSecretNew, ...set } = stored;
      return { ...set, ...(isSecretNew && { webhookSecret: secret }) };
    },
  };
}

export type Notices = ReturnType<typeof createNotices>;
