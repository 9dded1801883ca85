import { randomUUID } from 'node:crypto';
import type { UserRecord } from '#accounts/records';
import type { Users } from '#accounts/users/users';
import type { Clock } from '#core/clock';
import type { OutboxMessage } from '#notifications/outbox/outbox-store';
import type { Mailer } from '#notifications/sources/smtp';
import { recoveryMail } from './mails.ts';
import type { RecoveryStore } from './recovery-store.ts';
import { hashMailToken, isMailToken, mintMailToken, TOKEN_LIFE, tokenInvalid } from './token.ts';

/** How many users a mail lists. */
const MOST_LISTED = 50;

/** What every kind of mail is sent with. */
export type MailDependencies = {
  mailer: Mailer;
  /** Has messages that were added leave at once. */
  wake: () => void;
  clock: Clock;
  /** Where users reach the service, without a slash at its end. */
  publicUrl: string;
};

type Dependencies = MailDependencies & { store: RecoveryStore; users: Pick<Users, 'recover' | 'usersOf'> };

/**
 * A new key by mail for whoever has lost theirs. Nothing that a request does depends on whether the address is known:
 * who has it is looked up when the mail is sent.
 */
export function createRecovery({ store, users, mailer, wake, clock, publicUrl }: Dependencies) {
  return {
    /** Asks for a mail to an address, of which there are few; nothing tells whether one is sent. */
    async request(email: string): Promise<void> {
      if (await store.request(randomUUID(), email, clock.now())) wake();
    },

    /** Sends the mail of a message `recover`, if anybody has the address. Each time it has new tokens. */
    async deliver({ id, payload }: OutboxMessage, signal: AbortSignal): Promise<void> {
      const { email } = payload as { email: string };
      const { users: found, count } = await users.usersOf(email, MOST_LISTED);
      const [first] = found;
      if (!first) return;
      const expiresAt = clock.now() + TOKEN_LIFE.recover;
      const listed = found.map((user) => ({ ...user, token: mintMailToken() }));
      await store.addTokens(
        listed.map(({ key, token }) => ({ userKey: key, hash: hashMailToken(token), expiresAt })),
      );
      const mail = recoveryMail({ users: listed, others: count - listed.length, expiresAt, publicUrl });
      // To the address that was registered, never to what somebody else wrote for it.
      await mailer.send({ ...mail, id, to: first.email }, signal);
    },

    /** The record of the user of a token, with a new owner key. Throws `token_invalid`. */
    async confirm(token: string): Promise<UserRecord> {
      const hash = hashMailToken(token);
      const key = isMailToken(token) ? await store.userOf(hash) : undefined;
      const record = key === undefined ? undefined : await users.recover(key, hash);
      if (!record) throw tokenInvalid();
      return record;
    },
  };
}

export type Recovery = ReturnType<typeof createRecovery>;
