import { createNoticeDelivery } from '#services/notices/delivery';
import { createNotices } from '#services/notices/notices';
import { createNoticeWatch } from '#services/notices/watch';
import type { Mailer } from '#sources/mail/smtp';
import { createWebhookSender } from '#sources/webhook/webhook';
import { createNoticeStore } from '#stores/notices/notices';
import { createNoticeSettingsStore } from '#stores/notices/settings';
import type { Context } from './context.ts';

type Beside = {
  mailer: Mailer;
  /** Has messages that were added leave at once. */
  wake: () => void;
  publicUrl: string;
};

/** Opens what tells users of the use of their allowance and of its end. */
export function openNotices(
  { settings, prisma, deadline, clock, log }: Context,
  { mailer, wake, publicUrl }: Beside,
) {
  const store = createNoticeStore(prisma);
  const settingsStore = deadline.over(createNoticeSettingsStore(prisma));
  const watch = createNoticeWatch({
    ...{ store, wake, upstreamTimeoutMs: settings.upstreamTimeoutMs, clock, log },
  });
  const webhooks = createWebhookSender({ allowed: settings.webhookAllow });

  return {
    notices: createNotices({ store: settingsStore, clock }),
    deliver: createNoticeDelivery({ store, settings: settingsStore, mailer, webhooks, clock, publicUrl }),
    tidy: store.tidy,
    close: watch.close,
  };
}
