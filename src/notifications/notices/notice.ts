import { addMonths, PLANS, type Plan, periodAt } from '#accounts/ledger/plan';
import { iso } from '#core/clock';
import { inWords, writeMail } from '#notifications/mail/mails';
import type { Mail } from '#notifications/sources/smtp';

/** At so many per cent of the allowance a user is told, who has not chosen others. */
export const DEFAULT_THRESHOLDS = [80, 100];
/** Which thresholds a user may choose, in per cent of the allowance, and how many. */
export const THRESHOLDS = { min: 1, max: 100, most: 10 } as const;
/** So many days before the end of validity a user is told. */
export const DAYS_BEFORE_END = [7, 1];

/** The kinds of outbox messages that carry notices; their payload names the notice alone. */
export const NOTICE_MAIL = 'notice-mail';
export const NOTICE_WEBHOOK = 'notice-webhook';

/** Something that a user is told once; instants in Unix ms. */
export type Notice = {
  /** A UUID: `webhook-id`, and in the mail. */
  id: string;
  userKey: number;
  toldAt: number;
} & (
  | { kind: 'usage'; threshold: number; periodStart: number; used: number; limit: number }
  | { kind: 'validity'; days: number; validUntil: number }
);

/** The plan of a user and from when its periods are counted. */
type Term = { plan: Plan; anchor: number };

/** When the period of a notice ends. After a lapse the periods are counted from another anchor than its own were. */
export function periodEnd(periodStart: number, { plan, anchor }: Term): number {
  const period = periodAt(plan, anchor, periodStart);
  return period.start === periodStart ? period.end : addMonths(periodStart, PLANS[plan].months);
}

/** What is told: the same words in the event of a webhook and, by name, in the mail. */
export function factsOf(notice: Notice, term: Term) {
  const { userKey: user } = notice;
  if (notice.kind === 'validity') {
    const { days, validUntil } = notice;
    return { type: 'validity.ending' as const, data: { user, days, validUntil: iso(validUntil) } };
  }
  const { threshold, periodStart, used, limit } = notice;
  const period = { periodStart: iso(periodStart), resetsAt: iso(periodEnd(periodStart, term)) };
  const remaining = Math.max(0, limit - used);
  return {
    type: 'usage.threshold_reached' as const,
    data: { user, threshold, used, limit, remaining, ...period },
  };
}

/** The body of a webhook: `{type, timestamp, data}` as Standard Webhooks has it, the same for each attempt. */
export function webhookBody(notice: Notice, term: Term): string {
  const { type, data } = factsOf(notice, term);
  return JSON.stringify({ type, timestamp: iso(notice.toldAt), data });
}

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
  const subject = isSpent ? 'All calls of the period are used' : `${threshold} % of the calls of the period are used`;
  return [
    subject,
    `User ${userKey} at ${publicUrl} has used ${used} of the ${limit} calls of the period that ends at ${resets}.`,
    isSpent
      ? 'Until then further calls are refused with 429 quota_exceeded.'
      : 'When all are used, further calls are refused with 429 quota_exceeded until the period ends.',
  ] as const;
}

function validityMail({ userKey, days, validUntil }: Extract<Notice, { kind: 'validity' }>, publicUrl: string) {
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
  const stranger = 'If you did not register there, somebody has mistyped an address: tell the operator of the service.';
  return writeMail(subject, [
    ...parts,
    'These notices are switched off with PUT /v1/user/notices and the owner key, or on the page of the service.',
    ...(isVerified ? [] : [stranger]),
    `Notice ${notice.id}`,
  ]);
}
