import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { userRecord } from '../domain/records.ts';
import { presentedKey } from '../http/guard.ts';
import { plan } from '../http/parameters.ts';
import { Problem } from '../problems.ts';
import type { Users } from '../services/users.ts';

const name = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(100, 'is too long')
  .regex(/^\P{Cc}*$/u, 'has control characters')
  .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')
  .meta({
    description: 'Who registers',
    fix: '1 to 100 characters, none of them control characters',
    examples: ['Ada Lovelace'],
  });

const email = z
  .email('is not an e-mail address')
  .max(254, 'is too long')
  .meta({ fix: 'an address like ada@example.org, at most 254 characters', examples: ['ada@example.org'] });

const api = z.string().min(1, 'is empty').optional().meta({
  description: 'The key; the header X-API-KEY may take its place',
  fix: 'one API key, or send it in X-API-KEY',
});

const registration = {
  tags: ['users'],
  summary: 'Register and get an API key',
  querystring: z.object({ name, email, plan }),
  response: { 201: userRecord },
};

const lookUp = {
  tags: ['users'],
  summary: 'The user of a key',
  description: 'Answers for an expired key too. Beside `api`, the header is ignored.',
  querystring: z.object({ api }),
  response: { 200: userRecord },
};

type Options = { users: Users; registration: 'open' | 'closed'; origins: readonly string[] };

export const user: FastifyPluginAsyncZod<Options> = async (app, { users, registration: mode, origins }) => {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });

  app.route({
    method: 'POST',
    url: '/create',
    schema: registration,
    config: { open: true, problems: ['cross_site', 'registration_closed', 'body_too_large'] },
    onRequest: async ({ headers }) => {
      const isAllowed = origins.includes('*') || origins.includes(headers.origin ?? '');
      if (headers['sec-fetch-site'] === 'cross-site' && !isAllowed) {
        throw new Problem('cross_site', 'A page of another site may not register a user here.');
      }
      if (mode === 'closed')
        throw new Problem('registration_closed', 'Ask the operator of this service for a key.');
    },
    handler: async ({ query }, reply) => reply.code(201).send(await users.create(query)),
  });

  app.route({
    method: 'GET',
    url: '/data',
    schema: lookUp,
    config: { open: true, problems: ['api_key_missing', 'api_key_invalid', 'api_key_revoked'] },
    handler: async (request) => users.findByApiKey(request.query.api ?? presentedKey(request)),
  });
};
