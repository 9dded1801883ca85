import { z } from 'zod';
import { instant, text, whole } from '#core/forms/record-fields';

const instantOrNull = (description: string) =>
  instant.nullable().meta({ description: `ISO 8601, UTC, milliseconds; ${description}` });

const webhookPayload = z.object({
  type: text('The type of the event', 'usage.threshold_reached'),
  timestamp: text('The time of the event, in ISO 8601', '2026-02-14T09:30:00.000Z'),
  data: z.record(z.string(), z.unknown()).meta({
    description: 'The members of the event',
    examples: [{ user: 1, threshold: 80, used: 8000, limit: 10000 }],
  }),
});

export const webhookDeliveryRecord = z
  .object({
    id: z.uuid().meta({ description: 'The ID of the delivery', examples: ['0b6c1a0e-3f0d-4b6e-9a53-6f8f1f1f0c11'] }),
    messageId: z.uuid().meta({
      description: 'The ID of the message, in the header `webhook-id`. A message that is sent again keeps its ID.',
      examples: ['7d2f9d44-6a0e-4f0e-8f0a-1f6f0b7c2a90'],
    }),
    resendOf: z
      .uuid()
      .nullable()
      .meta({
        description: 'The ID of the earlier delivery, if the user sent a webhook again; otherwise null',
        examples: [null],
      }),
    status: z.enum(['pending', 'retrying', 'delivered', 'failed']).meta({
      description:
        '`pending`: no attempt has ended yet. `retrying`: an attempt failed, and another follows. `delivered`: the ' +
        'receiver responded with a 2xx status. `failed`: no attempt follows.',
      examples: ['retrying'],
    }),
    attempts: whole('The number of the last attempt', 2),
    httpStatus: z
      .int()
      .nullable()
      .meta({
        description: 'The status of the response to the last attempt; null if no response arrived',
        examples: [503],
      }),
    reason: z
      .enum(['http_status', 'no_response', 'webhook_off'])
      .nullable()
      .meta({
        description:
          'Why the last attempt failed; null if it did not fail. `http_status`: the response had a status other than ' +
          '2xx. `no_response`: no response arrived. `webhook_off`: the user turned off webhooks, or the operator ' +
          'suspended the account or revoked its keys.',
        examples: ['http_status'],
      }),
    createdAt: instant,
    lastAttemptAt: instantOrNull('the start of the last attempt; null before the first attempt'),
    nextAttemptAt: instantOrNull('the time of the next attempt; null if no attempt follows'),
    deliveredAt: instantOrNull('the time at which the receiver accepted the webhook; null if it has not'),
    payload: webhookPayload.meta({ description: 'The body of the webhook' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'The delivery of a webhook, with the outcome of its last attempt' });
export type WebhookDeliveryRecord = z.infer<typeof webhookDeliveryRecord>;
