import type { WebhookDelivery } from '../../client/index.ts';
import { count, fromNow, onDateAt } from '../../pages/format.ts';

const attemptsInWords = (attempts: number) => `${count(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`;

function reasonInWords({ reason, httpStatus }: WebhookDelivery): string {
  if (reason === 'http_status') return `the receiver responded with ${httpStatus ?? 'a status other than 2xx'}`;
  if (reason === 'no_response') return 'the receiver did not respond in time or could not be reached';
  return reason === 'webhook_off' ? 'webhooks were turned off' : 'no reason is known';
}

/** The outcome of the last attempt, and the time of the next. */
export function outcomeInWords(delivery: WebhookDelivery, now: number): string {
  const { status, attempts, httpStatus, deliveredAt, nextAttemptAt } = delivery;
  const tried = attemptsInWords(attempts);
  if (status === 'delivered') {
    const when = deliveredAt ? ` on ${onDateAt(deliveredAt)}` : '';
    return `Delivered${when} after ${tried}${httpStatus === null ? '' : `, status ${httpStatus}`}.`;
  }
  if (status === 'failed') return `Not delivered after ${tried}: ${reasonInWords(delivery)}.`;
  if (status === 'pending') return 'The first attempt has not ended yet.';
  const next = nextAttemptAt ? ` Next attempt ${fromNow(nextAttemptAt, now)}, on ${onDateAt(nextAttemptAt)}.` : '';
  return `${tried}: ${reasonInWords(delivery)}.${next}`;
}

/** Parses `80, 100`. The service rejects invalid numbers. */
export const thresholdsIn = (text: string): number[] =>
  text
    .split(/[\s,;%]+/)
    .filter((part) => part !== '')
    .map(Number);
