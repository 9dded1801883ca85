import { isoDate } from '#core/clock';
import { type Plan, termInWords } from '#users/plan';
import { inWords, type Mail, type MailPart, writeMail } from '../channels/mail/write-mail.ts';

/** Returns a command that makes the same call as a link. `path` starts with a slash. */
const curlCommand = (publicUrl: string, path: string, body: object) =>
  `curl -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' ${publicUrl}${path}`;

type RecoverableUser = {
  key: number;
  plan: Plan;
  createdAt: number;
  start: string | null;
  lastUsedAt: number | null;
  token: string;
};

function described({ key, plan, createdAt, start, lastUsedAt }: RecoverableUser): string {
  const notes = [
    `${plan} plan`,
    `registered on ${isoDate(createdAt)}`,
    ...(start === null ? [] : [`its key starts with ${start}`]),
    ...(lastUsedAt === null ? [] : [`last used on ${isoDate(lastUsedAt)}`]),
  ];
  return `User ${key}: ${notes.join(', ')}.`;
}

type Values = { users: readonly RecoverableUser[]; others: number; expiresAt: number; publicUrl: string };

export function recoveryMail({ users, others, expiresAt, publicUrl }: Values): Mail {
  const each = users.flatMap((user): MailPart[] => [
    described(user),
    { words: `Get a new key for user ${user.key}`, link: `${publicUrl}/#recover=${user.token}` },
    { code: curlCommand(publicUrl, '/v1/user/recover/confirm', { token: user.token }) },
  ]);
  return writeMail('A new API key', [
    `A new API key was requested at ${publicUrl} for this address. If this wasn't you, ignore this email. Your keys have not changed.`,
    `The new key replaces the current owner keys of the user. The old owner keys are revoked when you get the new key. Each link works once and expires at ${inWords(expiresAt)}. If you have no browser, use the command below the link.`,
    ...each,
    ...(others === 0
      ? []
      : [
          others === 1
            ? 'One more user is registered with this address. To get the key of this user, contact the operator of the service.'
            : `${others} more users are registered with this address. To get their keys, contact the operator of the service.`,
        ]),
  ]);
}

type VerificationMailValues = {
  plan: Plan;
  token: string;
  expiresAt: number;
  publicUrl: string;
};

export const verificationMail = ({ plan, token, expiresAt, publicUrl }: VerificationMailValues): Mail =>
  writeMail('Confirm your address', [
    `An API key on the ${plan} plan was requested at ${publicUrl} for this address. If this wasn't you, ignore this email. No account has been created.`,
    `The link works once and expires at ${inWords(expiresAt)}.`,
    { words: 'Confirm the address and get the API key', link: `${publicUrl}/#verify=${token}` },
    'If you have no browser, use this command:',
    { code: curlCommand(publicUrl, '/v1/user/verify', { token }) },
    `The key is then valid for ${termInWords(plan)}. You can renew it on the website of the service or with POST /v1/user/renew. The key stays the same.`,
  ]);
