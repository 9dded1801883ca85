import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { adminOf } from '#core/actor';
import type { Clock } from '#core/clock';
import { announcementRecord } from './announcements/announcement-records.ts';
import type { AdminServices } from './open-operator.ts';
import { messagePage, messageRecord, requestReport, sourceReport } from './operator-records.ts';
import { cursor, limit, singleLineTextOrNull, time } from './parameters.ts';

const sources = {
  tags: ['service'],
  summary: 'List the data sources with their budgets',
  operationId: 'listSourceReports',
  description:
    'The state is that of the process that responds; the times of the last calls and the budget are those of all processes.',
  response: { 200: z.array(sourceReport).meta({ description: 'All configured sources' }) },
};

const requests = {
  tags: ['service'],
  summary: 'Read the requests, errors and latencies of this process',
  operationId: 'getRequestReport',
  description:
    'Counts the requests to the public port of the process that responds, since its start. The metrics contain those of ' +
    'all processes.',
  response: { 200: requestReport },
};

const messages = {
  tags: ['service'],
  summary: 'List undelivered messages',
  operationId: 'listMessages',
  description:
    'Emails and webhooks that have not been delivered: waiting, failed or given up. The contents are not shown.',
  querystring: z.object({ cursor, limit }),
  response: { 200: messagePage },
};

const retry = {
  tags: ['service'],
  summary: 'Retry a message',
  operationId: 'retryMessage',
  description:
    'The message is attempted again within seconds. A message that the service has given up on gets one more attempt.',
  params: z.object({
    id: z
      .uuid('must be the ID of a message')
      .meta({ description: 'The ID of the message', fix: 'an ID from GET /admin/v1/messages' }),
  }),
  response: { 200: messageRecord },
};

const readAnnouncement = {
  tags: ['service'],
  summary: 'Read the announcement',
  operationId: 'getAnnouncement',
  description: 'Both members are null if there is none.',
  response: { 200: announcementRecord },
};

const announce = (clock: Clock) => ({
  tags: ['service'],
  summary: 'Set or remove the announcement',
  operationId: 'setAnnouncement',
  description:
    'All processes show it in the console and on `/status` within 5 seconds, until its end. To remove it, send null as `text`.',
  consumes: ['application/json'],
  body: z.object({
    text: singleLineTextOrNull(
      'The text, or null to remove the announcement',
      'Maintenance on 28 November, 10:00 UTC.',
      500,
    ),
    until: time
      .refine((at) => at > clock.now(), 'must be in the future')
      .nullable()
      .default(null)
      .meta({
        description: 'When the announcement disappears; required with a text',
        fix: 'a time in the future, such as 2030-01-31T12:00:00Z (ISO 8601, with Z or an offset)',
      }),
  }),
  response: { 200: announcementRecord },
});

type Services = Pick<AdminServices, 'sources' | 'requests' | 'messages' | 'announcements' | 'clock'>;

export const serviceState: FastifyPluginAsyncZod<Services> = async (app, services) => {
  app.get('/sources', { schema: sources }, async () => services.sources());

  app.get('/requests', { schema: requests }, async () => services.requests());

  app.get('/messages', { schema: messages }, async ({ query }) => services.messages.list(query));

  app.post(
    '/messages/:id/retry',
    { schema: retry, config: { problems: ['not_found', 'message_not_retryable', 'mail_not_configured'] } },
    async (request) => services.messages.retry(adminOf(request), request.params.id),
  );

  app.get('/announcement', { schema: readAnnouncement }, async () => services.announcements.read());

  app.put('/announcement', { schema: announce(services.clock) }, async (request) =>
    services.announcements.set(adminOf(request), request.body),
  );
};
