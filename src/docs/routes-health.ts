import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { negotiateFormat } from '#server/replies/negotiation';
import { neverStored } from '#server/replies/static-content';
import { warningText } from '#upstream/freshness';
import type { Readiness } from './status/serve-status.ts';

const live = {
  tags: ['operations'],
  summary: 'Check whether the process is running',
  description:
    'Returns 200 while the process responds. It does not check the database or the upstreams. Restart a process that fails this check.',
  operationId: 'getLiveness',
  response: { 200: z.object({ status: z.literal('ok') }).meta({ description: 'The process is running' }) },
};

const ready = {
  tags: ['operations'],
  summary: 'Check whether the process can serve requests',
  description:
    'Succeeds if the database is writable, all migrations are applied and the process is not stopping. The ' +
    'database is checked at most once a second. If an upstream fails, the check still succeeds, because ' +
    'stored data is served. The body then contains a warning.',
  operationId: 'getReadiness',
  response: {
    200: z
      .object({
        status: z.literal('ok'),
        warnings: z.array(z.string()).meta({
          description: 'Failed fetches with their causes, and upstreams that do not match the settings',
          examples: [['latest: timeout']],
        }),
      })
      .meta({ description: 'The process can serve requests' }),
  },
};

type Options = { readiness: Readiness };

export const health: FastifyPluginAsyncZod<Options> = async (app, { readiness }) => {
  negotiateFormat(app);
  neverStored(app);

  app.get('/live', { schema: live, config: { open: true } }, async () => ({ status: 'ok' as const }));

  app.get(
    '/ready',
    { schema: ready, config: { open: true, problems: ['overloaded', 'database_unavailable'] } },
    async () => ({ status: 'ok' as const, warnings: (await readiness()).map(warningText) }),
  );
};
