import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem } from '../problems.ts';

const live = {
  tags: ['operations'],
  summary: 'Whether the process runs',
  response: { 200: z.object({ status: z.literal('ok') }) },
};

const ready = {
  tags: ['operations'],
  summary:
    'Whether the process can serve: the database is reachable, its migrations applied, and it is not stopping',
  response: { 200: z.object({ status: z.literal('ok'), warnings: z.array(z.string()) }) },
};

type Options = { checkDatabase: () => Promise<void>; isStopping: () => boolean; warnings: () => string[] };

export const health: FastifyPluginAsyncZod<Options> = async (
  app,
  { checkDatabase, isStopping, warnings },
) => {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });

  app.route({
    method: 'GET',
    url: '/live',
    schema: live,
    handler: async () => ({ status: 'ok' as const }),
  });

  app.route({
    method: 'GET',
    url: '/ready',
    schema: ready,
    config: { problems: ['overloaded', 'database_unavailable'] },
    handler: async () => {
      if (isStopping()) throw new Problem('overloaded', 'This process is stopping.', { retryAfter: 1 });
      await checkDatabase().catch((cause) => {
        throw new Problem('database_unavailable', 'The database cannot be reached.', {
          cause,
          retryAfter: 5,
        });
      });
      return { status: 'ok' as const, warnings: warnings() };
    },
  });
};
