import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { sourceRecord } from '#docs/records';
import { SOURCES } from './content/source-list.ts';

const list = {
  tags: ['tokens'],
  summary: 'List the sources with their terms and attribution',
  description:
    '`Quotient-Source` names them. A source is asked where the operator has not left it out; figures of one that is no ' +
    'longer asked may be in the archive.',
  operationId: 'listSources',
  response: { 200: z.array(sourceRecord).meta({ description: 'Every source' }) },
};

export const sources: FastifyPluginAsyncZod = async (app) => {
  app.get('/sources', { schema: list, config: { open: true } }, async () => SOURCES);
};
