import type { Plan } from '#accounts/ledger/plan';
import { inWords, writeMail } from '#notifications/mail/mail';
import type { Mail } from '#notifications/sources/smtp';
import { type Notice, periodEnd } from './notice.ts';

type Values = {
  notice: Notice;
  term: { plan: Plan; anchor: number };
  /** Whether the address was confirmed by whoever reads it. */
  isVerified: boolean;
  publicUrl: string;
};

function usageMail(notice: Extract<Notice, { kind: 'usage' }>, term: Values['term'], publicUrl: string) {
  const { userKey, threshold, used, limit, periodStart } = notice;
  const resets = inWords(periodEnd(periodStart, term));
  const isSpent = used >= limit;
  const subject = isSpent
    ? 'All calls of the period are used'
    : `${threshold} % of the calls of the period are used`;
  return [
    subject,
    `User ${userKey} at ${publicUrl} has used ${used} of the ${limit} calls of the period that ends at ${resets}.`,
    isSpent
      ? 'Until then further calls are refused with 429 quota_exceeded.'
      : 'When all are used, further calls are refused with 429 quota_exceeded until the period ends.',
  ] as const;
}

function validityMail(
  { userKey, days, validUntil }: Extract<Notice, { kind: 'validity' }>,
  publicUrl: string,
) {
  const within = days === 1 ? '1 day' : `${days} days`;
  return [
    `The API key expires within ${within}`,
    `The keys of user ${userKey} at ${publicUrl} are valid until ${inWords(validUntil)}.`,
    'To go on, renew with POST /v1/user/renew and the owner key, at any time in the last period or after the end.',
  ] as const;
}

/** The mail that tells a user of a notice. Nothing in it was typed in by anybody. */
export function noticeMail({ notice, term, isVerified, publicUrl }: Values): Mail {
  const [subject, ...parts] =
    notice.kind === 'usage' ? usageMail(notice, term, publicUrl) : validityMail(notice, publicUrl);
  const stranger =
    'If you did not register there, somebody has mistyped an address: tell the operator of the service.';
  return writeMail(subject, [
    ...parts,
    'These notices are switched off with PUT /v1/user/notices and the owner key, or on the page of the service.',
    ...(isVerified ? [] : [stranger]),
    `Notice ${notice.id}`,
  ]);
}
