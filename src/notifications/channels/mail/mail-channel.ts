import { z } from 'zod';
import { DAY } from '#core/clock';
import { type Notice, type NoticeTerm, periodEnd } from '../../notice.ts';
import { channel } from '../channel.ts';
import { inWords, type Mail, writeMail } from './write-mail.ts';

/** The daily limit of emails to an unverified address, which may belong to another person. */
export const MAX_MAILS_A_DAY = 20;

type Values = { notice: Notice; term: NoticeTerm; isVerified: boolean; publicUrl: string };

function usageMail(notice: Extract<Notice, { kind: 'usage' }>, term: NoticeTerm, publicUrl: string) {
  const { userKey, threshold, used, limit, periodStart } = notice;
  const resets = inWords(periodEnd(periodStart, term));
  const isSpent = used >= limit;
  const subject = isSpent
    ? 'All calls in the current period are used'
    : `${threshold}% of the calls in the current period are used`;
  return [
    subject,
    `User ${userKey} at ${publicUrl} has used ${used} of ${limit} calls. The current period ends at ${resets}.`,
    isSpent
      ? 'Until then, further calls are rejected with 429 quota_exceeded.'
      : 'When all calls are used, further calls are rejected with 429 quota_exceeded until the period ends.',
  ] as const;
}

function validityMail({ userKey, days, validUntil }: Extract<Notice, { kind: 'validity' }>, publicUrl: string) {
  const within = days === 1 ? '1 day' : `${days} days`;
  return [
    `The API key expires within ${within}`,
    `The API keys of user ${userKey} at ${publicUrl} are valid until ${inWords(validUntil)}.`,
    'To renew them, call POST /v1/user/renew with the owner key. You can also renew expired keys.',
  ] as const;
}

/** Writes the email for a notice. The email contains no user input. */
function noticeMail({ notice, term, isVerified, publicUrl }: Values): Mail {
  const [subject, ...parts] =
    notice.kind === 'usage' ? usageMail(notice, term, publicUrl) : validityMail(notice, publicUrl);
  const stranger =
    'If you did not register with this service, another person may have entered your address by mistake. Contact the operator of the service.';
  return writeMail(subject, [
    ...parts,
    'To turn off these notices, visit the website of the service, or call PUT /v1/user/notices with the owner key.',
    ...(isVerified ? [] : [stranger]),
    `Notice ${notice.id}`,
  ]);
}

/** By default, only verified addresses receive emails. */
const IS_ON = 'coalesce(s.email, u.verified_at IS NOT NULL)';

export const mailChannel = channel({
  name: 'mail',
  kind: 'notice-mail',
  deliveredColumn: 'mailed_at',
  setting: {
    member: 'email',
    column: 'email',
    type: 'boolean',
    value: IS_ON,
    isOn: IS_ON,
    record: z.boolean().meta({ description: 'Whether the service sends notices by email', examples: [true] }),
    form: () =>
      z.boolean('must be true or false').meta({
        description: "Whether the service sends notices to the user's email address",
        fix: 'true or false',
      }),
  },
  open:
    ({ mailer, mailedTo, clock, settings }) =>
    async ({ notice, user }, _, signal) => {
      if (!user.isVerified && (await mailedTo(user.email, clock.now() - DAY)) >= MAX_MAILS_A_DAY)
        throw new Error('daily email limit for an unverified address reached');
      const { publicUrl } = settings.mail;
      const mail = noticeMail({ notice, term: user, isVerified: user.isVerified, publicUrl });
      await mailer.send({ ...mail, id: notice.id, to: user.email }, signal);
      return true;
    },
});
