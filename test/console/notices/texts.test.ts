import { expect, it } from 'vitest';
import type { WebhookDelivery } from '#client/index';
import { outcomeInWords, thresholdsIn } from '#console/notices/texts';
import { MINUTE } from '#core/clock';

const NOW = Date.parse('2026-02-14T09:30:00Z');
const at = (minutes: number) => new Date(NOW + minutes * MINUTE);

const delivery: WebhookDelivery = {
  id: '0b6c1a0e-3f0d-4b6e-9a53-6f8f1f1f0c11',
  messageId: '7d2f9d44-6a0e-4f0e-8f0a-1f6f0b7c2a90',
  resendOf: null,
  status: 'pending',
  attempts: 0,
  httpStatus: null,
  reason: null,
  createdAt: at(-10),
  lastAttemptAt: null,
  nextAttemptAt: at(0),
  deliveredAt: null,
  payload: { type: 'webhook.test', timestamp: '2026-02-14T09:20:00.000Z', data: { user: 1 } },
};

it.each<[Partial<WebhookDelivery>, string]>([
  [{}, 'The first attempt has not ended yet.'],
  [
    { status: 'delivered', attempts: 1, httpStatus: 204, deliveredAt: at(-9) },
    'Delivered on Feb 14, 2026, 9:21 AM after 1 attempt, status 204.',
  ],
  [
    { status: 'retrying', attempts: 2, httpStatus: 503, reason: 'http_status', nextAttemptAt: at(4) },
    '2 attempts: the receiver responded with 503. Next attempt in 4 minutes, on Feb 14, 2026, 9:34 AM.',
  ],
  [
    { status: 'failed', attempts: 12, reason: 'no_response', nextAttemptAt: null },
    'Not delivered after 12 attempts: the receiver did not respond in time or could not be reached.',
  ],
  [
    { status: 'failed', attempts: 1, reason: 'webhook_off', nextAttemptAt: null },
    'Not delivered after 1 attempt: webhooks were turned off.',
  ],
])('the outcome of %j', (changes, words) => {
  expect(outcomeInWords({ ...delivery, ...changes }, NOW)).toBe(words);
});

it.each([
  ['80, 100', [80, 100]],
  [' 50%,80 % ; 100 ', [50, 80, 100]],
  ['', []],
  ['x', [Number.NaN]],
])('the percentages in “%s”', (text, thresholds) => expect(thresholdsIn(text)).toEqual(thresholds));
