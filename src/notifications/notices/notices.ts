import { type Clock, DAY } from '#core/clock';
import { mintWebhookSecret } from '#notifications/channels/webhook/signature';
import { type Authority, ownerKeyEnded } from '#users/authority';
import type { NoticeSettings, NoticeSettingsStore } from './notice-settings-store.ts';

/** The time in ms after a rotation during which webhooks are also signed with the previous secret. */
const SECRET_GRACE = DAY;

type Dependencies = { store: NoticeSettingsStore; clock: Clock };

export function createNotices({ store, clock }: Dependencies) {
  return {
    async of(userKey: number): Promise<NoticeSettings> {
      const settings = await store.find(userKey);
      if (!settings) throw ownerKeyEnded();
      return settings;
    },

    /** Returns the webhook's secret only if the secret is new: for a new address, or after a rotation. */
    async set(
      authority: Authority,
      { rotateSecret: isRotated, ...settings }: NoticeSettings & { rotateSecret: boolean },
    ): Promise<NoticeSettings & { webhookSecret?: string }> {
      const secret = mintWebhookSecret();
      const graceEnds = clock.now() + SECRET_GRACE;
      const { isSecretNew, ...set } = await store.put(authority, settings, { secret, isRotated, graceEnds });
      return { ...set, ...(isSecretNew && { webhookSecret: secret }) };
    },
  };
}

export type Notices = ReturnType<typeof createNotices>;
