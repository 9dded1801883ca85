import type { FastifyInstance } from 'fastify';

/**
 * One line for each answer that is worth one. It names the route, never the URL: a path or a query may hold a key
 * or a seed phrase.
 */
export function logRequests(app: FastifyInstance, which: 'all' | 'errors' | 'none'): void {
  if (which === 'none') return;
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply;
    if (which === 'errors' && statusCode < 500) return done();
    const facts = {
      reqId: request.id,
      method: request.method,
      route: request.is404 ? undefined : request.routeOptions.url,
      status: statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      user: request.caller?.user.key,
    };
    request.log.info(facts, 'answered');
    done();
  });
}
