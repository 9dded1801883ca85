import type { Users } from '#accounts/users/users';
import type { Mailer } from '#notifications/sources/smtp';
import { createWebhookSender } from '#notifications/sources/webhook';
import type { Context } from '#open-context';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { createNoticeDelivery } from './delivery.ts';
import { createNoticeSettingsStore } from './notice-settings-store.ts';
import { createNoticeStore } from './notice-store.ts';
import { createNotices } from './notices.ts';
import { createNoticeWatch } from './watch.ts';

type Beside = {
  users: Pick<Users, 'change'>;
  mailer: Mailer;
  /** Has messages that were added leave at once. */
  wake: () => void;
  publicUrl: string;
};

/** Opens what tells users of the use of their allowance and of its end. */
export function openNotices(
  { settings, prisma, deadline, clock, failures }: Context,
  { users, mailer, wake, publicUrl }: Beside,
) {
  const store = createNoticeStore(prisma);
  const settingsStore = deadline.over(createNoticeSettingsStore(prisma, users));
  const watch = createNoticeWatch({
    // Without the deadline of requests: a turn that comes late is better than two at once.
    ...{ store, claims: createRefreshStore(prisma), wake, clock, failures },
    upstreamTimeoutMs: settings.upstreamTimeoutMs,
  });
  const webhooks = createWebhookSender({ allowed: settings.webhookAllow });

  return {
    notices: createNotices({ store: settingsStore, clock }),
    deliver: createNoticeDelivery({ store, settings: settingsStore, mailer, webhooks, clock, publicUrl }),
    tidy: store.tidy,
    close: watch.close,
  };
}
