import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem } from '#core/problems';
import type { Capability } from '#server/capability';
import { negotiateFormat } from '#server/responses/negotiation';
import { neverStored } from '#server/responses/static-content';
import { type Warning, warningText } from '#upstream/freshness';

type Dependencies = {
  checkDatabase: () => Promise<void>;
  isStopping: () => boolean;
  capabilities: readonly Pick<Capability, 'warnings'>[];
};

/** Returns the readiness check, which throws a problem if the service is not ready and otherwise returns warnings. */
export function createReadiness({ checkDatabase, isStopping, capabilities }: Dependencies) {
  return async function readiness(): Promise<Warning[]> {
    if (isStopping())
      throw new Problem('overloaded', 'This process is stopping and accepts no new requests.', { retryAfter: 1 });
    await checkDatabase();
    return capabilities.flatMap(({ warnings }) => warnings?.() ?? []);
  };
}

export type Readiness = ReturnType<typeof createReadiness>;

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
    'database is checked at most once a second, and counts as not writable while its disk is full. If an upstream fails, the check still succeeds, because ' +
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
