import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { negotiateFormat } from '#server/replies/negotiation';
import { neverStored } from '#server/replies/static-content';
import { warningText } from '#upstream/freshness';
import type { Readiness } from './serve-status.ts';

const live = {
  tags: ['operations'],
  summary: 'Check that the process runs',
  description: 'Looks at nothing beyond the process itself: a failure means that it has to be restarted.',
  operationId: 'getLiveness',
  response: { 200: z.object({ status: z.literal('ok') }).meta({ description: 'It runs' }) },
};

const ready = {
  tags: ['operations'],
  summary: 'Check that the process can serve',
  description:
    'The database can be written to (looked at once a second at most), its migrations are applied, and the process is ' +
    'not stopping. A failing upstream is a warning in the body, not a failure: what is stored is served.',
  operationId: 'getReadiness',
  response: {
    200: z
      .object({
        status: z.literal('ok'),
        warnings: z.array(z.string()).meta({
          description: 'What could not be fetched, and why; and what an upstream has less than is configured',
          examples: [['latest: timeout']],
        }),
      })
      .meta({ description: 'It can serve' }),
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
