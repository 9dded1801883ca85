import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { WEBHOOK_DELIVERY_DAYS } from '#database/retention';
import { neverStored } from '#server/responses/static-content';
import { byOwnerKey } from '#users/authority';
import type { Deliveries } from './deliveries.ts';
import { MAX_LISTED, PER_HOUR } from './delivery-store.ts';
import { webhookDeliveryRecord } from './webhook-records.ts';

const id = z.uuid('must be the ID of a delivery').meta({
  description: 'The `id` of the delivery',
  fix: 'an ID from GET /v1/user/webhook/deliveries',
  examples: ['0b6c1a0e-3f0d-4b6e-9a53-6f8f1f1f0c11'],
});

const REQUIRES = 'The user must have set a webhook URL with `PUT /v1/user/notices`.';

const test = {
  tags: ['notices'],
  summary: 'Send a test webhook',
  operationId: 'sendTestWebhook',
  description:
    'Sends an event of the type `webhook.test` to the webhook URL of the user. The event is signed, delivered and ' +
    `retried like a notice. ${REQUIRES} A user can send up to ${PER_HOUR.test} test events per hour; more are rejected ` +
    'with 429. The outcome is in `GET /v1/user/webhook/deliveries`.',
  response: { 202: webhookDeliveryRecord },
};

const list = {
  tags: ['notices'],
  summary: 'List the deliveries of webhooks',
  operationId: 'listWebhookDeliveries',
  description:
    `Returns the last ${MAX_LISTED} deliveries, newest first. A notice is listed from its first attempt on. ` +
    `Deliveries are deleted after ${WEBHOOK_DELIVERY_DAYS} days, and deliveries that are no longer listed are ` +
    'deleted earlier. A user whose plan has expired can still call this endpoint.',
  response: {
    200: z.array(webhookDeliveryRecord).meta({ description: `The last ${MAX_LISTED} deliveries, newest first` }),
  },
};

const resend = {
  tags: ['notices'],
  summary: 'Send a webhook again',
  operationId: 'resendWebhook',
  description:
    'Adds a new delivery of the same message to the current webhook URL. The message keeps its ID (`webhook-id`) and ' +
    'its body, so receivers can detect the duplicate. The earlier delivery keeps its outcome. ' +
    `${REQUIRES} A user can send up to ${PER_HOUR.resend} webhooks again per hour; more are rejected with 429.`,
  params: z.object({ id }),
  response: { 202: webhookDeliveryRecord },
};

type Options = { mail: { deliveries: Deliveries } | undefined };

export const webhooks: FastifyPluginAsyncZod<Options> = async (app, { mail }) => {
  neverStored(app);
  const config = { cost: 0, scope: 'account', needsMail: true } as const;
  const services = mail as { deliveries: Deliveries };

  app.post('/test', { schema: test, config: { ...config, problems: ['webhook_not_set'] } }, async ({ caller }, reply) =>
    reply.code(202).send(await services.deliveries.test(byOwnerKey(caller))),
  );

  app.get('/deliveries', { schema: list, config: { ...config, allowExpired: true } }, ({ caller }) =>
    services.deliveries.list(caller.user.key),
  );

  app.post(
    '/deliveries/:id/resend',
    { schema: resend, config: { ...config, problems: ['not_found', 'webhook_not_set'] } },
    async ({ caller, params }, reply) =>
      reply.code(202).send(await services.deliveries.resend(byOwnerKey(caller), params.id)),
  );
};
