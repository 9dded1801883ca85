import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toProblem } from '#http/replies/problem-replies';

/**
 * One line for each answer that is worth one. It names the route, never the URL: a path or a query may hold a key
 * or a seed phrase. When errors alone are wanted, no answer but those is looked at.
 */
export function logRequests(app: FastifyInstance, which: 'all' | 'errors' | 'none'): void {
  const log = (request: FastifyRequest, status: number, ms: number) => {
    const facts = {
      reqId: request.id,
      method: request.method,
      route: request.is404 ? undefined : request.routeOptions.url,
      status,
      ms: Math.round(ms * 10) / 10,
      user: request.caller?.user.key,
    };
    request.log.info(facts, 'answered');
  };
  if (which === 'all') {
    app.addHook('onResponse', (request, reply, done) => {
      log(request, reply.statusCode, reply.elapsedTime);
      done();
    });
  }
  if (which === 'errors') {
    app.addHook('onError', (request, reply, error, done) => {
      const { status } = toProblem(error);
      if (status >= 500) log(request, status, reply.elapsedTime);
      done();
    });
  }
}
