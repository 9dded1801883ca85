import type { Authority } from '#accounts/keys/api-key';
import { notActive } from '#accounts/keys/key-problems';
import { type Clock, DAY } from '#core/clock';
import { mintWebhookSecret } from '#notifications/sources/signature';
import type { NoticeSettings, NoticeSettingsStore } from './notice-settings-store.ts';

/** The time in ms after a rotation during which webhooks are also signed with the previous secret. */
const SECRET_GRACE = DAY;

type Dependencies = { store: NoticeSettingsStore; clock: Clock };

export function createNotices({ store, clock }: Dependencies) {
  return {
    /** Returns the defaults if the user has changed nothing. */
    async of(userKey: number): Promise<NoticeSettings> {
      const settings = await store.find(userKey);
      if (!settings) throw notActive();
      return settings;
    },

    /** Returns the webhook's secret only if it is new: for a new address, or after a rotation. */
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
