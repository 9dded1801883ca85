import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { toProblem } from '#server/replies/problem-replies';

type Facts = {
  reqId: string;
  method: string;
  /** The pattern of the route, never the URL: a path or a query may hold a key or a seed phrase. */
  route: string | undefined;
  status: number;
  ms: number;
  user: number | undefined;
};

/** Creates what writes one line for an answer. */
export const createAnswerLog = (logger: FastifyBaseLogger) => (facts: Facts) =>
  logger.info({ ...facts, ms: Math.round(facts.ms * 10) / 10 }, 'answered');

export type LogAnswer = ReturnType<typeof createAnswerLog>;

/** Logs the answers of the framework. When errors alone are wanted, no other answer is looked at. */
export function logRequests(app: FastifyInstance, which: 'all' | 'errors' | 'none', log: LogAnswer): void {
  const logAnswer = (request: FastifyRequest, status: number, ms: number) => {
    const { id: reqId, method, is404, routeOptions, caller } = request;
    log({ reqId, method, route: is404 ? undefined : routeOptions.url, status, ms, user: caller?.user.key });
  };
  if (which === 'all') {
    app.addHook('onResponse', (request, reply, done) => {
      logAnswer(request, reply.statusCode, reply.elapsedTime);
      done();
    });
  }
  if (which === 'errors') {
    app.addHook('onError', (request, reply, error, done) => {
      const { status } = toProblem(error);
      if (status >= 500) logAnswer(request, status, reply.elapsedTime);
      done();
    });
  }
}
