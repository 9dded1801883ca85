import type { Plan } from '#accounts/ledger/plan';
import { isoDate } from '#core/clock';
import type { Mail } from '#notifications/sources/smtp';
import { curl, inWords, type MailPart, writeMail } from './mail.ts';

/** A user of the address, and the token that gives a new key; instants in Unix ms. */
type RecoverableUser = {
  key: number;
  plan: Plan;
  createdAt: number;
  /** How the newest owner key begins, where that is known. */
  start: string | null;
  lastUsedAt: number | null;
  token: string;
};

function described({ key, plan, createdAt, start, lastUsedAt }: RecoverableUser): string {
  const facts = [
    `${plan} plan`,
    `registered on ${isoDate(createdAt)}`,
    ...(start === null ? [] : [`its key begins with ${start}`]),
    ...(lastUsedAt === null ? [] : [`last used on ${isoDate(lastUsedAt)}`]),
  ];
  return `User ${key}: ${facts.join(', ')}.`;
}

type Values = {
  users: readonly RecoverableUser[];
  /** How many more users the address has. */
  others: number;
  /** When the tokens end, in Unix ms. */
  expiresAt: number;
  publicUrl: string;
};

/** The mail to whoever asked for a new key: every user of the address, each with a token. */
export function recoveryMail({ users, others, expiresAt, publicUrl }: Values): Mail {
  const each = users.flatMap((user): MailPart[] => [
    described(user),
    { words: `Get a new key for user ${user.key}`, link: `${publicUrl}/#recover=${user.token}` },
    { code: curl(publicUrl, '/v1/user/recover/confirm', { token: user.token }) },
  ]);
  return writeMail('A new API key', [
    `Somebody asked for a new API key at ${publicUrl} with this address. If that was not you, you need not do anything: nothing has changed.`,
    `A new key takes the place of the lost one: the owner keys that the user has now stop working at once. Each link works once, until ${inWords(expiresAt)}. Without a browser, use the command below it.`,
    ...each,
    ...(others === 0 ? [] : [`This address has ${others} more: ask the operator of the service for these.`]),
  ]);
}
