import { randomUUID } from 'node:crypto';
import { type Clock, HOUR, iso, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import type { Mailer } from '#notifications/channels/mail/smtp';
import type { OutboxMessage } from '#notifications/outbox-store';
import { type Authority, byService } from '#users/authority';
import { firstTerm, PLANS } from '#users/plan';
import type { RegistrationForm } from '#users/registration';
import type { Users } from '#users/users';
import type { UserRecord } from '#users/users-records';
import { recoveryMail, verificationMail } from './mails.ts';
import { hashMailToken, isMailToken, MAIL_RATES, mintMailToken, TOKEN_LIFE, tokenInvalid } from './one-time-code.ts';
import type { RecoveryStore, RegistrationStore } from './registration-store.ts';

type Dependencies = MailDependencies & { store: RegistrationStore; users: Pick<Users, 'mintOwnerKey' | 'recordOf'> };

export function createVerifiedRegistration({ store, users, mailer, wake, clock, publicUrl }: Dependencies) {
  return {
    /** Stores a registration and requests the email. Throws `rate_limited` if the limit of the address is reached. */
    async request(form: RegistrationForm): Promise<{ email: string; expiresAt: string }> {
      const now = clock.now();
      const expiresAt = now + TOKEN_LIFE.verify;
      if (!(await store.request(randomUUID(), form, { now, expiresAt }))) {
        const detail = `The limit is ${MAIL_RATES.verify.most} emails to one address within an hour. Use the link in an email that was already sent.`;
        throw new Problem('rate_limited', detail, { retryAfter: HOUR / SECOND });
      }
      wake();
      return { email: form.email, expiresAt: iso(expiresAt) };
    },

    /** Sends the email for a `verify` message, unless the registration has expired. Each attempt uses a new code. */
    async deliver({ id, payload }: OutboxMessage, signal: AbortSignal): Promise<void> {
      const registration = await store.find((payload as { registration: string }).registration);
      if (!registration || registration.expiresAt <= clock.now()) return;
      const token = mintMailToken();
      await store.addToken(hashMailToken(token), registration);
      const { email, plan, expiresAt } = registration;
      await mailer.send({ ...verificationMail({ plan, token, expiresAt, publicUrl }), id, to: email }, signal);
    },

    /** Creates the user for a code. The user's term starts now. Throws `token_invalid`. */
    async verify(token: string): Promise<UserRecord> {
      const now = clock.now();
      const hash = hashMailToken(token);
      const plan = isMailToken(token) ? await store.planOf(hash) : undefined;
      if (plan === undefined) throw tokenInvalid();
      const ownerKey = users.mintOwnerKey();
      const term = { ...firstTerm(plan, now), limit: PLANS[plan].limit };
      const key = await store.confirm(hash, term, ownerKey, now);
      if (key === undefined) throw tokenInvalid();
      return users.recordOf(key, ownerKey.apiKey);
    },
  };
}

export type VerifiedRegistration = ReturnType<typeof createVerifiedRegistration>;

const MAX_LISTED = 50;

type MailDependencies = {
  mailer: Mailer;
  wake: () => void;
  clock: Clock;
  publicUrl: string;
};

export type RecoverKey = (authority: Authority, codeHash: string) => Promise<UserRecord>;

type RecoveryDependencies = MailDependencies & {
  store: RecoveryStore;
  users: Pick<Users, 'usersOf'>;
  recoverKey: RecoverKey;
};

/** Treats registered and unregistered addresses in the same way: users are looked up only when the email is sent. */
export function createRecovery({ store, users, recoverKey, mailer, wake, clock, publicUrl }: RecoveryDependencies) {
  return {
    /** Requests an email, within the address's limit. Never reveals whether an email is sent. */
    async request(email: string): Promise<void> {
      if (await store.request(randomUUID(), email, clock.now())) wake();
    },

    /** Sends the email for a `recover` message if users have registered the address. Each attempt uses new codes. */
    async deliver({ id, payload }: OutboxMessage, signal: AbortSignal): Promise<void> {
      const { email } = payload as { email: string };
      const { users: found, count } = await users.usersOf(email, MAX_LISTED);
      const [first] = found;
      if (!first) return;
      const expiresAt = clock.now() + TOKEN_LIFE.recover;
      const listed = found.map((user) => ({ ...user, token: mintMailToken() }));
      await store.addTokens(listed.map(({ key, token }) => ({ userKey: key, hash: hashMailToken(token), expiresAt })));
      const mail = recoveryMail({ users: listed, others: count - listed.length, expiresAt, publicUrl });
      // The email is sent to the address as it was registered, never as it was spelled in the request.
      await mailer.send({ ...mail, id, to: first.email }, signal);
    },

    /** Returns the user for a code, with a new owner key. Throws `token_invalid`. */
    async confirm(token: string): Promise<UserRecord> {
      const hash = hashMailToken(token);
      const key = isMailToken(token) ? await store.userOf(hash) : undefined;
      if (key === undefined) throw tokenInvalid();
      return recoverKey(byService(key, tokenInvalid), hash);
    },
  };
}

export type Recovery = ReturnType<typeof createRecovery>;
