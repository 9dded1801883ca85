import type { RegistrationSettings } from '#accounts/settings';
import type { Users } from '#accounts/users/users';
import { HOUR } from '#core/clock';
import { every } from '#core/every';
import { mailComponent, recordMailOutcomes } from '#notifications/mail/mail-component';
import { createRecoveryStore } from '#notifications/mail/recovery-store';
import { createRecovery, createVerifiedRegistration } from '#notifications/mail/registration';
import { createRegistrationStore } from '#notifications/mail/registration-store';
import { userMail } from '#notifications/mail/routes';
import { createMessageStore } from '#notifications/message-store';
import { createMessages } from '#notifications/messages';
import { createNoticeDelivery, createNoticeWatch } from '#notifications/notices/delivery';
import { NOTICE_WEBHOOK } from '#notifications/notices/notice';
import { createNoticeSettingsStore } from '#notifications/notices/notice-settings-store';
import { createNoticeStore } from '#notifications/notices/notice-store';
import { createNotices } from '#notifications/notices/notices';
import { notices } from '#notifications/notices/routes';
import { createOutbox } from '#notifications/outbox';
import { createOutboxStore } from '#notifications/outbox-store';
import { createWebhookSender } from '#notifications/sources/webhook';
import { createDeliveries } from '#notifications/webhooks/deliveries';
import { createDeliveryStore, WEBHOOK_DELIVERY } from '#notifications/webhooks/delivery-store';
import { createWebhookPosting } from '#notifications/webhooks/posting';
import { webhooks } from '#notifications/webhooks/routes';
import type { Capability, CapabilityDeps } from '#server/capability';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { addOutboxReadings } from './metrics.ts';
import type { NotificationSettings } from './settings.ts';

const TIDY_EVERY = HOUR;
/** Concurrent webhooks. Many are allowed, because an unresponsive receiver occupies a slot until the deadline. */
const WEBHOOKS_AT_ONCE = 50;
/** How long a stopping process waits for emails in progress, in ms. */
const LAST_MAILS = 2000;

type Deps = CapabilityDeps<NotificationSettings & RegistrationSettings> & { users: Users };

async function openMail({ settings, users, database: { prisma }, deadline, clock, log, failures, outcomes }: Deps) {
  if (!settings.mail) return undefined;
  const { smtp, from, publicUrl } = settings.mail;
  // The mail library is imported only if mail is configured.
  const { createMailer } = await import('#notifications/sources/smtp');
  const mailer = recordMailOutcomes(createMailer(smtp, from), outcomes.note);
  const shared = { users, mailer, wake: () => outbox.wake(), clock, publicUrl };
  const recoveryStore = deadline.over(createRecoveryStore(prisma));
  const recovery = createRecovery({ store: recoveryStore, ...shared });
  const registrationStore = deadline.over(createRegistrationStore(prisma));
  const registration = createVerifiedRegistration({ store: registrationStore, ...shared });
  const noticeStore = createNoticeStore(prisma);
  const noticeSettings = deadline.over(createNoticeSettingsStore(prisma, users));
  const watch = createNoticeWatch({
    // The watch has no request deadline: a late run is better than two concurrent runs.
    store: noticeStore,
    claims: createRefreshStore(prisma),
    wake: shared.wake,
    clock,
    failures,
    upstreamTimeoutMs: settings.upstreamTimeoutMs,
  });
  const deliveryStore = deadline.over(createDeliveryStore(prisma, users));
  const posting = createWebhookPosting({
    store: deliveryStore,
    webhooks: createWebhookSender({ allowed: settings.webhookAllow }),
    turnOff: noticeSettings.dropWebhook,
    clock,
  });
  const notify = createNoticeDelivery({ ...shared, store: noticeStore, posting });
  const outbox = createOutbox({
    store: deadline.over(createOutboxStore(prisma)),
    log,
    failures,
    deliver: {
      recover: recovery.deliver,
      verify: registration.deliver,
      ...notify,
      [WEBHOOK_DELIVERY]: posting.deliver,
    },
    atOnce: { [NOTICE_WEBHOOK]: WEBHOOKS_AT_ONCE, [WEBHOOK_DELIVERY]: WEBHOOKS_AT_ONCE },
  });

  async function tidy(): Promise<void> {
    await Promise.all([outbox.tidy(), recoveryStore.tidy(clock.now()), noticeStore.tidy(), deliveryStore.tidy()]);
  }
  const tidying = every(TIDY_EVERY, tidy, { onError: (error) => failures.failed('mail clean-up', error) });
  void tidying.run();

  return {
    recovery,
    registration,
    notices: createNotices({ store: noticeSettings, clock }),
    deliveries: createDeliveries({ store: deliveryStore, ...shared }),
    outbox,
    tidy,
    async close(): Promise<void> {
      await tidying.close();
      await watch.close();
      await outbox.close(LAST_MAILS);
    },
  };
}

export async function openNotifications(deps: Deps) {
  const { settings } = deps;
  const mail = await openMail(deps);
  const { deadline, users, database } = deps;
  const messageStore = deadline.over(createMessageStore(database.prisma));

  return {
    mail,
    messages: createMessages({ store: messageStore, wake: mail?.outbox.wake }),
    noticesOf: deadline.over(createNoticeSettingsStore(database.prisma, users)).find,

    routes: async (app, { bodies }) => {
      app.register(userMail, { prefix: '/user', mail, bodies, settings });
      app.register(notices, { prefix: '/user', mail, bodies, settings });
      app.register(webhooks, { prefix: '/user/webhook', mail });
    },

    components: () => [mailComponent({ isConfigured: mail !== undefined, ...deps })],
    readings: { add: (registry) => mail && addOutboxReadings(registry, mail.outbox.backlog) },

    close: async () => mail?.close(),
  } satisfies Capability & Record<string, unknown>;
}

export type Notifications = Awaited<ReturnType<typeof openNotifications>>;
