import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type FormSettings, settingForms } from '#notifications/channels/channels';
import { noticesRecord, noticesWithSecretRecord } from '#notifications/notifications-records';
import type { RequestBodies } from '#server/connections/request-body';
import { readJsonBodies } from '#server/json-body';
import { neverStored } from '#server/responses/static-content';
import { byOwnerKey } from '#users/authority';
import { DAYS_BEFORE_END, DEFAULT_THRESHOLDS, THRESHOLDS } from '../notice.ts';
import type { Notices } from './notices.ts';

/** The maximum size of a body in bytes: a fully escaped URL of 2,000 characters and the other settings. */
const MAX_BYTES = 16 * 1024;

const RANGE = `integers from ${THRESHOLDS.min} to ${THRESHOLDS.max}`;
const NO_THRESHOLD = `must contain only ${RANGE}`;

const thresholds = z
  .array(z.int(NO_THRESHOLD).min(THRESHOLDS.min, NO_THRESHOLD).max(THRESHOLDS.max, NO_THRESHOLD), 'must be a list')
  .max(THRESHOLDS.most, `must have at most ${THRESHOLDS.most} numbers`)
  // The examples describe the input. After the sorting step, they would describe the output.
  .meta({ examples: [DEFAULT_THRESHOLDS] })
  .transform((list) => [...new Set(list)].sort((a, b) => a - b))
  .meta({
    description: 'The percentages of the allowance at which a notice is sent. An empty list turns these notices off.',
    fix: `a list of up to ${THRESHOLDS.most} ${RANGE}, such as [${DEFAULT_THRESHOLDS.join(', ')}]`,
  });

const rotateSecret = z.boolean('must be true or false').default(false).meta({
  description:
    'Creates a new secret for the same URL. For 24 hours, webhooks are also signed with the previous secret.',
  fix: 'true or false, or no value',
});

const DAYS = DAYS_BEFORE_END.map((days) => (days === 1 ? '1 day' : `${days} days`)).join(' and ');

const TIMES =
  'Notices report the usage of the allowance and the expiry of the keys. In each period, one notice is ' +
  'sent for each threshold, usually within half a minute after usage reaches it. A notice is also sent ' +
  `${DAYS} before \`validUntil\`.`;

const get = {
  tags: ['notices'],
  summary: 'Read the notice settings',
  operationId: 'getNotices',
  description: `${TIMES} By default, users with a verified address receive emails at the thresholds ${DEFAULT_THRESHOLDS.join(' and ')}. Other users receive no notices by default.`,
  response: { 200: noticesRecord },
};

const put = (settings: FormSettings) => ({
  tags: ['notices'],
  summary: 'Change the notice settings',
  operationId: 'setNotices',
  description:
    `${TIMES} If usage has already reached a threshold, the notice is sent within half a minute. A webhook ` +
    'is a POST request, signed according to [Standard Webhooks](https://www.standardwebhooks.com/). To ' +
    'verify a webhook, use the secret and a Standard Webhooks library. The library checks the headers ' +
    '`webhook-id`, `webhook-timestamp` and `webhook-signature`. The response contains the secret only if ' +
    '`webhookUrl` is new or changed, or if `rotateSecret` is set.',
  consumes: ['application/json'],
  body: z.object({ ...settingForms(settings), thresholds, rotateSecret }),
  response: { 200: noticesWithSecretRecord },
});

type Options = {
  mail: { notices: Notices } | undefined;
  bodies: RequestBodies;
  settings: FormSettings;
};

export const notices: FastifyPluginAsyncZod<Options> = async (app, { mail, bodies, settings }) => {
  readJsonBodies(app, bodies, { limit: MAX_BYTES });
  neverStored(app);
  const config = { cost: 0, scope: 'account', needsMail: true } as const;
  const services = mail as { notices: Notices };

  app.get('/notices', { schema: get, config }, ({ caller }) => services.notices.of(caller.user.key));

  app.put(
    '/notices',
    { schema: put(settings), config: { ...config, problems: ['unsupported_media_type'] } },
    ({ caller, body }) => services.notices.set(byOwnerKey(caller), body),
  );
};
