import { randomUUID } from 'node:crypto';
import { mintApiKey, storedForm } from '#accounts/keys/api-key';
import { firstTerm, PLANS } from '#accounts/ledger/plan';
import type { UserRecord } from '#accounts/records';
import type { RegistrationForm } from '#accounts/users/registration';
import type { Users } from '#accounts/users/users';
import { HOUR, iso, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import type { OutboxMessage } from '#notifications/outbox/outbox-store';
import { verificationMail } from './mails.ts';
import type { MailDependencies } from './recovery.ts';
import type { RegistrationStore } from './registration-store.ts';
import { hashMailToken, isMailToken, MAIL_RATES, mintMailToken, TOKEN_LIFE, tokenInvalid } from './token.ts';

type Dependencies = MailDependencies & { store: RegistrationStore; users: Pick<Users, 'recordOf'> };

/** Registration of addresses that were confirmed: nobody is registered before. */
export function createVerifiedRegistration({ store, users, mailer, wake, clock, publicUrl }: Dependencies) {
  return {
    /** Keeps what was asked for and mails a token. Throws `rate_limited` where the address was sent enough. */
    async request(form: RegistrationForm): Promise<{ email: string; expiresAt: string }> {
      const now = clock.now();
      const expiresAt = now + TOKEN_LIFE.verify;
      if (!(await store.request(randomUUID(), form, { now, expiresAt }))) {
        const detail = `This address was sent ${MAIL_RATES.verify.most} mails within the hour: use the link in one of them.`;
        throw new Problem('rate_limited', detail, { retryAfter: HOUR / SECOND });
      }
      wake();
      return { email: form.email, expiresAt: iso(expiresAt) };
    },

    /** Sends the mail of a message `verify`, while there is time left to confirm. Each time it has a new token. */
    async deliver({ id, payload }: OutboxMessage, signal: AbortSignal): Promise<void> {
      const registration = await store.find((payload as { registration: string }).registration);
      if (!registration || registration.expiresAt <= clock.now()) return;
      const token = mintMailToken();
      await store.addToken(hashMailToken(token), registration);
      const { email, plan, expiresAt } = registration;
      await mailer.send(
        { ...verificationMail({ plan, token, expiresAt, publicUrl }), id, to: email },
        signal,
      );
    },

    /** Makes the user of a token, who is valid from now on. Throws `token_invalid`. */
    async verify(token: string): Promise<UserRecord> {
      const now = clock.now();
      const hash = hashMailToken(token);
      const plan = isMailToken(token) ? await store.planOf(hash) : undefined;
      if (plan === undefined) throw tokenInvalid();
      const apiKey = mintApiKey();
      const term = { ...firstTerm(plan, now), limit: PLANS[plan].limit };
      const key = await store.confirm(hash, term, storedForm(apiKey), now);
      if (key === undefined) throw tokenInvalid();
      return users.recordOf(key, apiKey);
    },
  };
}

export type VerifiedRegistration = ReturnType<typeof createVerifiedRegistration>;
