import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { maskApiKeys } from '../domain/api-key.ts';

const FORM = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id where it is one that can be repeated safely, else a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  const usable = typeof given === 'string' && FORM.test(given) && maskApiKeys(given) === given;
  return usable ? given : randomUUID();
}

export function tellRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}
