import type { FastifyInstance } from 'fastify';

/** Has no cache keep an answer of a scope (RFC 9111, 5.2.2.5), but for a route that says otherwise. */
export function neverStored(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
}
