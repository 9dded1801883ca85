import { z } from 'zod';
import { type Clock, DAY, MINUTE, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { Deliver } from '#notifications/outbox';
import type { OutboxMessage } from '#notifications/outbox-store';
import type { Mailer } from '#notifications/sources/smtp';
import type { WebhookPosting } from '#notifications/webhooks/posting';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import type { FailureLog } from '#upstream/failure-log';
import { NOTICE_MAIL, NOTICE_WEBHOOK, noticeMail, webhookBody } from './notice.ts';
import type { Addressed, NoticeStore } from './notice-store.ts';

/** The daily limit for an unverified address, which may be a stranger's mailbox. */
export const MAILS_A_DAY = 20;

const payload = z.object({ notice: z.uuid() });

type Dependencies = {
  store: Pick<NoticeStore, 'find' | 'mailedTo' | 'delivered'>;
  mailer: Mailer;
  posting: Pick<WebhookPosting, 'post'>;
  clock: Clock;
  /** The service's public URL, without a trailing slash. */
  publicUrl: string;
};

/** Delivers messages that contain notices. The recipient is looked up at delivery. */
export function createNoticeDelivery({ store, mailer, posting, clock, publicUrl }: Dependencies) {
  /** A notice without a recipient counts as delivered. */
  const addressed = (message: OutboxMessage): Promise<Addressed | undefined> =>
    store.find(payload.parse(message.payload).notice, clock.now());

  async function byMail(message: OutboxMessage, signal: AbortSignal): Promise<void> {
    const found = await addressed(message);
    if (!found) return;
    const { notice, user } = found;
    const now = clock.now();
    if (!user.isVerified && (await store.mailedTo(user.email, now - DAY)) >= MAILS_A_DAY)
      throw new Error('daily email limit for an unverified address reached');
    const mail = noticeMail({ notice, term: user, isVerified: user.isVerified, publicUrl });
    await mailer.send({ ...mail, id: notice.id, to: user.email }, signal);
    await store.delivered(notice.id, 'mail', clock.now());
  }

  async function byWebhook(message: OutboxMessage): Promise<void> {
    const found = await addressed(message);
    if (!found) return;
    const { notice, user, webhook } = found;
    const signed = { messageId: notice.id, body: webhookBody(notice, user) };
    if (await posting.post(message, notice.userKey, webhook, signed))
      await store.delivered(notice.id, 'webhook', clock.now());
  }

  return { [NOTICE_MAIL]: byMail, [NOTICE_WEBHOOK]: byWebhook } satisfies Record<string, Deliver>;
}

/** How often each look-up runs in all processes together, and how often a process checks for its turn, in ms. */
const USAGE_EVERY = 5 * SECOND;
const VALIDITY_EVERY = MINUTE;
const TURN_EVERY = 2.5 * SECOND;
/** The delay between look-ups is at least this many times their duration, so it grows with the number of users. */
const PART = 50;
/** How long a call may wait, in ms, except for upstreams. After this time, its charge is final. */
const LONGEST_WAIT = 10 * SECOND;

type WatchDependencies = {
  store: Pick<NoticeStore, 'addUsageNotices' | 'addValidityNotices'>;
  claims: Pick<RefreshStore, 'takeTurn'>;
  wake: () => void;
  upstreamTimeoutMs: number;
  clock: Clock;
  failures: Pick<FailureLog, 'failed'>;
};

/** Finds due notices in stored data, so that no notice is lost when a process dies. */
export function createNoticeWatch(dependencies: WatchDependencies) {
  const { store, claims, wake, upstreamTimeoutMs, clock, failures } = dependencies;
  const staysMs = upstreamTimeoutMs + LONGEST_WAIT;
  const rounds = [
    { what: 'notices:use', apart: USAGE_EVERY, addNotices: () => store.addUsageNotices(clock.now(), staysMs) },
    { what: 'notices:end', apart: VALIDITY_EVERY, addNotices: () => store.addValidityNotices(clock.now()) },
  ] as const;
  let longest = 0;

  async function checkInTurn(): Promise<void> {
    for (const { what, apart, addNotices } of rounds) {
      if (!(await claims.takeTurn(what, Math.max(apart, longest * PART)))) continue;
      const since = clock.elapsed();
      if ((await addNotices()) > 0) wake();
      longest = Math.max(longest / 2, clock.elapsed() - since);
    }
  }

  return every(TURN_EVERY, checkInTurn, { onError: (error) => failures.failed('notice look-up', error) });
}
