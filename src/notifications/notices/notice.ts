import { addMonths, PLANS, type Plan, periodAt } from '#accounts/ledger/plan';
import { iso } from '#core/clock';
import { inWords, writeMail } from '#notifications/mail/mails';
import type { Mail } from '#notifications/sources/smtp';

export const DEFAULT_THRESHOLDS = [80, 100];
export const THRESHOLDS = { min: 1, max: 100, most: 10 } as const;
export const DAYS_BEFORE_END = [7, 1];
/** Kinds of outbox messages. Their payload contains only the notice's ID. */
export const NOTICE_MAIL = 'notice-mail';
export const NOTICE_WEBHOOK = 'notice-webhook';

/** An event that is reported to a user once. Instants in Unix ms. */
export type Notice = { id: string; userKey: number; toldAt: number } & (
  | { kind: 'usage'; threshold: number; periodStart: number; used: number; limit: number }
  | { kind: 'validity'; days: number; validUntil: number }
);

type Term = { plan: Plan; anchor: number };

/** If the term has been restarted since the notice was created, periods now count from another anchor. */
function periodEnd(periodStart: number, { plan, anchor }: Term): number {
  const period = periodAt(plan, anchor, periodStart);
  return period.start === periodStart ? period.end : addMonths(periodStart, PLANS[plan].months);
}

export function factsOf(notice: Notice, term: Term) {
  const { userKey: user } = notice;
  if (notice.kind === 'validity') {
    const { days, validUntil } = notice;
    return { type: 'validity.ending' as const, data: { user, days, validUntil: iso(validUntil) } };
  }
  const { threshold, periodStart, used, limit } = notice;
  const period = { periodStart: iso(periodStart), resetsAt: iso(periodEnd(periodStart, term)) };
  const remaining = Math.max(0, limit - used);
  return { type: 'usage.threshold_reached' as const, data: { user, threshold, used, limit, remaining, ...period } };
}

/** Returns the body `{type, timestamp, data}` defined by Standard Webhooks. The body is the same for each attempt. */
export function webhookBody(notice: Notice, term: Term): string {
  const { type, data } = factsOf(notice, term);
  return JSON.stringify({ type, timestamp: iso(notice.toldAt), data });
}

type Values = { notice: Notice; term: { plan: Plan; anchor: number }; isVerified: boolean; publicUrl: string };

function usageMail(notice: Extract<Notice, { kind: 'usage' }>, term: Values['term'], publicUrl: string) {
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
export function noticeMail({ notice, term, isVerified, publicUrl }: Values): Mail {
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
