import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { maskApiKeys } from '#core/log';

const FORM = /^[A-Za-z0-9._-]{1,128}$/;

/** Ids of this process: what they begin with, and how many there were. */
const run = randomUUID().slice(0, 18);
let count = 0;

/** The caller's own id where it is one that can be repeated safely, else a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  const usable = typeof given === 'string' && FORM.test(given) && maskApiKeys(given) === given;
  if (usable) return given;
  count += 1;
  return `${run}-${count.toString(36)}`;
}

/** Every answer has the id of its request; `write-answer.ts` adds it to those past the hooks. */
export function tellRequestId(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id);
    done(null, payload);
  });
}
