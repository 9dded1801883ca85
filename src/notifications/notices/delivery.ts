import { z } from 'zod';
import { type Clock, DAY } from '#core/clock';
import type { Deliver } from '#notifications/outbox/outbox';
import { Undeliverable } from '#notifications/outbox/outbox';
import type { OutboxMessage } from '#notifications/outbox/outbox-store';
import type { Mailer } from '#notifications/sources/smtp';
import type { WebhookFailure, WebhookSender } from '#notifications/sources/webhook';
import { webhookHeaders } from '#notifications/webhooks/signature';
import { NOTICE_MAIL, NOTICE_WEBHOOK, noticeMail, webhookBody } from './notice.ts';
import type { NoticeSettingsStore } from './notice-settings-store.ts';
import type { Addressed, NoticeStore } from './notice-store.ts';

/**
 * Notices that an address gets by mail in a day when nobody has verified it: whoever registers with somebody else's must
 * not be able to fill that one's letter box. The others wait.
 */
export const MAILS_A_DAY = 20;

const payload = z.object({ notice: z.uuid() });

type Dependencies = {
  store: Pick<NoticeStore, 'find' | 'mailedTo' | 'delivered'>;
  settings: Pick<NoticeSettingsStore, 'dropWebhook'>;
  mailer: Mailer;
  webhooks: WebhookSender;
  clock: Clock;
  /** Where users reach the service, without a slash at its end. */
  publicUrl: string;
};

/** How the messages of the outbox that carry notices are delivered: to whom, is found out then. */
export function createNoticeDelivery({ store, settings, mailer, webhooks, clock, publicUrl }: Dependencies) {
  /** A notice that has nobody to go to any more counts as delivered. */
  const addressed = (message: OutboxMessage): Promise<Addressed | undefined> =>
    store.find(payload.parse(message.payload).notice, clock.now());

  async function byMail(message: OutboxMessage, signal: AbortSignal): Promise<void> {
    const found = await addressed(message);
    if (!found) return;
    const { notice, user } = found;
    const now = clock.now();
    if (!user.isVerified && (await store.mailedTo(user.email, now - DAY)) >= MAILS_A_DAY)
      throw new Error('the address has had all the mails of a day that one gets that is not verified');
    const mail = noticeMail({ notice, term: user, isVerified: user.isVerified, publicUrl });
    await mailer.send({ ...mail, id: notice.id, to: user.email }, signal);
    await store.delivered(notice.id, 'mail', clock.now());
  }

  async function byWebhook(message: OutboxMessage): Promise<void> {
    const found = await addressed(message);
    if (!found?.webhook) return;
    const { notice, user, webhook } = found;
    const body = webhookBody(notice, user);
    const headers = webhookHeaders({ id: notice.id, now: clock.now(), body }, webhook.secrets);
    try {
      await webhooks.post(webhook.url, body, headers);
    } catch (error) {
      if (!(error as WebhookFailure).isGone) throw error;
      await settings.dropWebhook(notice.userKey, webhook.url);
      throw new Undeliverable('status 410: the webhook was switched off');
    }
    await store.delivered(notice.id, 'webhook', clock.now());
  }

  return { [NOTICE_MAIL]: byMail, [NOTICE_WEBHOOK]: byWebhook } satisfies Record<string, Deliver>;
}
