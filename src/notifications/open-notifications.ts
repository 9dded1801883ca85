import { CHANNELS } from '#notifications/channels/channels';
import { createDeliveries } from '#notifications/channels/webhook/deliveries';
import { createDeliveryStore, WEBHOOK_DELIVERY } from '#notifications/channels/webhook/delivery-store';
import { createWebhookPosting } from '#notifications/channels/webhook/posting';
import { createWebhookSender } from '#notifications/channels/webhook/webhook';
import { WEBHOOKS_AT_ONCE } from '#notifications/channels/webhook/webhook-channel';
import { webhooks } from '#notifications/channels/webhook/webhook-routes';
import { mailComponent, mailWarnings, recordMailOutcomes } from '#notifications/mail/mail-component';
import { userMail } from '#notifications/mail/mail-routes';
import { createRecovery, createVerifiedRegistration, type RecoverKey } from '#notifications/mail/registration';
import { createRecoveryStore, createRegistrationStore } from '#notifications/mail/registration-store';
import { createMessageStore } from '#notifications/message-store';
import { createMessages } from '#notifications/messages';
import { createNoticeDelivery, createNoticeWatch } from '#notifications/notices/delivery';
import { createNoticeSettingsStore } from '#notifications/notices/notice-settings-store';
import { createNoticeStore } from '#notifications/notices/notice-store';
import { createNotices } from '#notifications/notices/notices';
import { notices } from '#notifications/notices/notices-routes';
import { createOutbox } from '#notifications/outbox';
import { createOutboxStore } from '#notifications/outbox-store';
import type { Capability, CapabilityDeps } from '#server/capability';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import type { Users } from '#users/users';
import type { RegistrationSettings } from '#users/users-settings';
import { addOutboxReadings } from './notifications-metrics.ts';
import type { NotificationSettings } from './notifications-settings.ts';

/** How long a stopping process waits for emails in progress, in ms. */
const LAST_MAILS = 2000;

type Deps = CapabilityDeps<NotificationSettings & RegistrationSettings> & { users: Users; recoverKey: RecoverKey };

async function openMail({ settings, users, recoverKey, database: { prisma }, ...deps }: Deps) {
  const { deadline, clock, log, failures, outcomes } = deps;
  const { mail } = settings;
  if (!mail) return undefined;
  const { smtp, from, publicUrl } = mail;
  // The mail library is imported only if mail is configured.
  const { createMailer } = await import('#notifications/channels/mail/smtp');
  const mailer = recordMailOutcomes(createMailer(smtp, from), outcomes.note);
  const shared = { users, mailer, wake: () => outbox.wake(), clock, publicUrl };
  const recoveryStore = deadline.over(createRecoveryStore(prisma));
  const recovery = createRecovery({ store: recoveryStore, recoverKey, ...shared });
  const registrationStore = deadline.over(createRegistrationStore(prisma));
  const registration = createVerifiedRegistration({ store: registrationStore, ...shared });
  const noticeStore = createNoticeStore(prisma);
  const noticeSettings = deadline.over(createNoticeSettingsStore(prisma));
  const watch = createNoticeWatch({
    // The watch has no request deadline: a late run is better than two concurrent runs.
    store: noticeStore,
    claims: createRefreshStore(prisma),
    wake: shared.wake,
    clock,
    upstreamTimeoutMs: settings.upstreamTimeoutMs,
  });
  const deliveryStore = deadline.over(createDeliveryStore(prisma));
  const posting = createWebhookPosting({
    store: deliveryStore,
    webhooks: createWebhookSender({ allowed: settings.webhookAllow }),
    turnOff: noticeSettings.dropWebhook,
    clock,
  });
  const notify = createNoticeDelivery({ mailer, clock, settings: { ...settings, mail }, store: noticeStore, posting });
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
    atOnce: {
      ...Object.fromEntries(CHANNELS.flatMap(({ kind, atOnce }) => (atOnce === undefined ? [] : [[kind, atOnce]]))),
      [WEBHOOK_DELIVERY]: WEBHOOKS_AT_ONCE,
    },
  });

  return {
    recovery,
    registration,
    notices: createNotices({ store: noticeSettings, clock }),
    deliveries: createDeliveries({ store: deliveryStore, ...shared }),
    outbox,
    jobs: [watch],
    close: () => outbox.close(LAST_MAILS),
  };
}

export async function openNotifications(deps: Deps) {
  const { settings } = deps;
  const mail = await openMail(deps);
  const { deadline, database } = deps;
  const messageStore = deadline.over(createMessageStore(database.prisma));

  return {
    mail,
    messages: createMessages({ store: messageStore, wake: mail?.outbox.wake }),
    noticesOf: deadline.over(createNoticeSettingsStore(database.prisma)).find,

    routes: async (app, { bodies }) => {
      app.register(userMail, { prefix: '/user', mail, bodies, settings });
      app.register(notices, { prefix: '/user', mail, bodies, settings });
      app.register(webhooks, { prefix: '/user/webhook', mail });
    },

    components: () => [mailComponent({ isConfigured: mail !== undefined, ...deps })],
    warnings: () => (mail ? mailWarnings(deps) : []),
    readings: { add: (registry) => mail && addOutboxReadings(registry, mail.outbox.backlog) },

    jobs: mail?.jobs ?? [],
    close: async () => mail?.close(),
  } satisfies Capability & Record<string, unknown>;
}

export type Notifications = Awaited<ReturnType<typeof openNotifications>>;
