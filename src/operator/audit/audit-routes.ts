import { Readable } from 'node:stream';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { AUDIT_ACTIONS } from '#core/actor';
import { LARGEST_NUMBER } from '#keys/api-key';
import { auditPage } from '#operator/operator-records';
import { cursor, limit, singleLineText, time, userKey } from '#operator/parameters';
import { acceptedType } from '#server/responses/negotiation';
import type { AuditLog } from './audit.ts';

const bound = (description: string) =>
  time.optional().meta({
    description,
    fix: 'a time such as 2026-11-01T00:00:00Z (ISO 8601, with Z or an offset)',
    wire: { type: 'string', format: 'date-time', examples: ['2026-11-01T00:00:00Z'] },
  });

const list = {
  tags: ['audit'],
  summary: 'Read the audit log',
  operationId: 'listAuditEvents',
  description:
    'Returns the changes that the operator made, newest first. With `Accept: application/x-ndjson`, returns all events ' +
    'that match, one JSON object per line, without pages.',
  querystring: z.object({
    actor: singleLineText('Only events of this actor', 'admin', 100).optional(),
    action: z
      .enum(AUDIT_ACTIONS, 'is not an action')
      .optional()
      .meta({ description: 'Only events of this action', fix: `one of ${AUDIT_ACTIONS.join(', ')}` }),
    user: userKey
      .refine((key) => key <= LARGEST_NUMBER, `must be an integer from 1 to ${LARGEST_NUMBER}`)
      .optional()
      .meta({
        description: 'Only events that affect the user with this record number',
        fix: 'a positive integer',
        wire: { type: 'integer', minimum: 1, maximum: LARGEST_NUMBER, examples: [1] },
      }),
    from: bound('Only events at this time or later'),
    until: bound('Only events before this time'),
    cursor,
    limit,
  }),
  produces: ['application/json', 'application/x-ndjson'],
  response: { 200: auditPage },
};

export const auditLog: FastifyPluginAsyncZod<{ audit: AuditLog }> = async (app, { audit }) => {
  app.get('/audit', { schema: list }, async (request, reply) => {
    if (acceptedType(request, ['application/json', 'application/x-ndjson']) === 'application/json')
      return audit.page(request.query);
    return reply.type('application/x-ndjson').send(Readable.from(audit.lines(request.query)) as never);
  });
};
