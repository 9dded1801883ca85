import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { maskApiKeys } from '#core/log';

const FORM = /^[A-Za-z0-9._-]{1,128}$/;

/** The prefix of this process's IDs, and their count. */
const run = randomUUID().slice(0, 18);
let count = 0;

/** Returns the client's own ID if it is safe to repeat; otherwise, a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && FORM.test(given) && maskApiKeys(given) === given) return given;
  count += 1;
  return `${run}-${count.toString(36)}`;
}

/** Sets the ID on every response; `write-answer.ts` adds it where hooks are bypassed. */
export function tellRequestId(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id);
    done(null, payload);
  });
}
