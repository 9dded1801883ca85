import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { byOwnerKey } from '#accounts/keys/api-key';
import { noticesRecord, noticesWithSecretRecord } from '#notifications/records';
import type { NotificationSettings } from '#notifications/settings';
import { webhookUrlFault } from '#notifications/sources/webhook-url';
import type { RequestBodies } from '#server/connections/request-body';
import { readJsonBodies } from '#server/json-body';
import { neverStored } from '#server/replies/static-content';
import { DAYS_BEFORE_END, DEFAULT_THRESHOLDS, THRESHOLDS } from './notice.ts';
import type { Notices } from './notices.ts';

/** Largest body, in bytes: an address of 2,000 characters, fully escaped, and the rest. */
const MAX_BYTES = 16 * 1024;

const email = z.boolean('is not true or false').meta({
  description: 'Whether notices come by mail, to the address of the user',
  fix: 'true or false',
});

const webhookUrl = (allowed: NotificationSettings['webhookAllow']) =>
  z
    .string('is not a text')
    .superRefine((text, { addIssue }) => {
      const message = webhookUrlFault(text, allowed);
      if (message !== undefined) addIssue({ code: 'custom', message });
    })
    .nullable()
    .meta({
      description: 'Where notices are posted',
      fix: 'an https:// URL of a public address, without a user name and password, or null; the operator allows other addresses with WEBHOOK_ALLOW',
      examples: ['https://example.org/hooks/quotient'],
    });

const RANGE = `whole numbers from ${THRESHOLDS.min} to ${THRESHOLDS.max}`;
const NO_THRESHOLD = `has something else in it than ${RANGE}`;

const thresholds = z
  .array(z.int(NO_THRESHOLD).min(THRESHOLDS.min, NO_THRESHOLD).max(THRESHOLDS.max, NO_THRESHOLD), 'is not a list')
  .max(THRESHOLDS.most, `has more than ${THRESHOLDS.most} numbers`)
  // Examples the input: after the sorting step it would describe the output.
  .meta({ examples: [DEFAULT_THRESHOLDS] })
  .transform((list) => [...new Set(list)].sort((a, b) => a - b))
  .meta({
    description: 'Per cent of the allowance of a period at which a notice is sent; an empty list for none',
    fix: `a list of up to ${THRESHOLDS.most} ${RANGE}, such as [${DEFAULT_THRESHOLDS.join(', ')}]`,
  });

const rotateSecret = z.boolean('is not true or false').default(false).meta({
  description: 'For a new secret although the address stays; signatures of the one before go on for 24 hours',
  fix: 'true or false, or leave it out',
});

const DAYS = DAYS_BEFORE_END.map((days) => (days === 1 ? '1 day' : `${days} days`)).join(' and ');

const TIMES =
  `A notice is sent once at each threshold of a period, and ${DAYS} before \`validUntil\`, as soon as the calls are ` +
  'settled: half a minute later as a rule.';

const get = {
  tags: ['users'],
  summary: 'Read which notices are sent',
  operationId: 'getNotices',
  description: `${TIMES} Who has set nothing gets mails at ${DEFAULT_THRESHOLDS.join(' and ')} per cent if the address was verified, and else none.`,
  response: { 200: noticesRecord },
};

const put = (allowed: NotificationSettings['webhookAllow']) => ({
  tags: ['users'],
  summary: 'Set which notices are sent',
  operationId: 'setNotices',
  description:
    `${TIMES} A threshold that is passed already is told at once. ` +
    'A webhook is a POST that is signed as [Standard Webhooks](https://www.standardwebhooks.com/) has it: its libraries ' +
    'check the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` with the secret. ' +
    'Where the address is new or changed, and with `rotateSecret`, the answer has the secret, this once.',
  consumes: ['application/json'],
  body: z.object({ email, webhookUrl: webhookUrl(allowed), thresholds, rotateSecret }),
  response: { 200: noticesWithSecretRecord },
});

type Options = {
  /** Undefined if no mail is configured. */
  mail: { notices: Notices } | undefined;
  bodies: RequestBodies;
  settings: Pick<NotificationSettings, 'webhookAllow'>;
};

export const notices: FastifyPluginAsyncZod<Options> = async (app, { mail, bodies, settings }) => {
  readJsonBodies(app, bodies, { limit: MAX_BYTES });
  neverStored(app);
  const facts = { cost: 0, scope: 'account', needsMail: true } as const;
  const services = mail as { notices: Notices };

  app.get('/notices', { schema: get, config: facts }, ({ caller }) => services.notices.of(caller.user.key));

  app.put(
    '/notices',
    { schema: put(settings.webhookAllow), config: { ...facts, problems: ['unsupported_media_type'] } },
    ({ caller, body }) => services.notices.set(byOwnerKey(caller), body),
  );
};
