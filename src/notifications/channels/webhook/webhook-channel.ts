import { z } from 'zod';
import { iso } from '#core/clock';
import { factsOf, type Notice, type NoticeTerm } from '../../notice.ts';
import { channel } from '../channel.ts';
import { webhookUrlFault } from './webhook-url.ts';

/** Returns the body `{type, timestamp, data}` defined by Standard Webhooks. The body is the same for each attempt. */
export function webhookBody(notice: Notice, term: NoticeTerm): string {
  const { type, data } = factsOf(notice, term);
  return JSON.stringify({ type, timestamp: iso(notice.reportedAt), data });
}

/** The maximum number of concurrent webhooks: an unresponsive receiver occupies a slot until the deadline. */
export const WEBHOOKS_AT_ONCE = 50;

export const webhookChannel = channel({
  name: 'webhook',
  kind: 'notice-webhook',
  atOnce: WEBHOOKS_AT_ONCE,
  deliveredColumn: 'posted_at',
  setting: {
    member: 'webhookUrl',
    column: 'webhook_url',
    type: 'text',
    value: 's.webhook_url',
    isOn: 's.webhook_url IS NOT NULL',
    record: z
      .string()
      .nullable()
      .meta({
        description:
          'The URL to which the service sends notices as POST requests, signed according to Standard Webhooks; null if webhooks are off',
        examples: ['https://example.org/hooks/quotient'],
      }),
    form: ({ webhookAllow: allowed }) =>
      z
        .string('must be a string')
        .superRefine((text, { addIssue }) => {
          const message = webhookUrlFault(text, allowed);
          if (message !== undefined) addIssue({ code: 'custom', message });
        })
        .nullable()
        .meta({
          description: 'The URL to which the service sends notices as POST requests',
          fix: 'null, or an https:// URL with a public address and without a user name or password. The operator can allow other addresses with WEBHOOK_ALLOW',
          examples: ['https://example.org/hooks/quotient'],
        }),
  },
  open:
    ({ posting }) =>
    ({ notice, user, webhook }, message) =>
      posting.post(message, notice.userKey, webhook, { messageId: notice.id, body: webhookBody(notice, user) }),
});
