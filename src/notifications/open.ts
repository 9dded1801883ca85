import type { Users } from '#accounts/users/users';
import { HOUR } from '#core/clock';
import { every } from '#core/every';
import { createRecovery } from '#notifications/mail/recovery';
import { createRecoveryStore } from '#notifications/mail/recovery-store';
import { createVerifiedRegistration } from '#notifications/mail/registration';
import { createRegistrationStore } from '#notifications/mail/registration-store';
import { NOTICE_WEBHOOK } from '#notifications/notices/notice';
import { openNotices } from '#notifications/notices/open';
import { createOutbox } from '#notifications/outbox/outbox';
import { createOutboxStore } from '#notifications/outbox/outbox-store';
import type { Context } from '#open-context';

/** How often what has ended is deleted, in ms. */
const TIDY_EVERY = HOUR;
/**
 * How many webhooks a process has under way. A receiver is whatever a user names: those that never answer hold their places
 * for the whole deadline, and the webhooks of others must not wait for that.
 */
const WEBHOOKS_AT_ONCE = 50;
/** How long a stop waits for mails that are being sent, in ms. */
const LAST_MAILS = 2000;

/** Opens all that mails are needed for; undefined where none are configured. */
export async function openMail(context: Context, users: Users) {
  const { settings, prisma, deadline, clock, log, failures } = context;
  if (!settings.mail) return undefined;
  const { smtp, from, publicUrl } = settings.mail;
  // Who sends no mail does not have its library in memory.
  const { createMailer } = await import('#notifications/sources/smtp');
  const mailer = createMailer(smtp, from);
  const shared = { users, mailer, wake: () => outbox.wake(), clock, publicUrl };
  const recoveryStore = deadline.over(createRecoveryStore(prisma));
  const recovery = createRecovery({ store: recoveryStore, ...shared });
  const registrationStore = deadline.over(createRegistrationStore(prisma));
  const registration = createVerifiedRegistration({ store: registrationStore, ...shared });
  const notices = openNotices(context, shared);
  const outbox = createOutbox({
    store: deadline.over(createOutboxStore(prisma)),
    ...{ log, failures },
    deliver: { recover: recovery.deliver, verify: registration.deliver, ...notices.deliver },
    atOnce: { [NOTICE_WEBHOOK]: WEBHOOKS_AT_ONCE },
  });

  async function tidy(): Promise<void> {
    await Promise.all([outbox.tidy(), recoveryStore.tidy(clock.now()), notices.tidy()]);
  }
  const tidying = every(TIDY_EVERY, tidy, { onError: (error) => failures.failed('mail clean-up', error) });
  void tidying.run();

  return {
    recovery,
    registration,
    notices: notices.notices,
    outbox,
    tidy,
    async close(): Promise<void> {
      await tidying.close();
      await notices.close();
      await outbox.close(LAST_MAILS);
    },
  };
}
