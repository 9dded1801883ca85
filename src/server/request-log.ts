import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '#core/problems';

/** The fields of a request in the log. */
export type RequestFacts = {
  reqId: string;
  method: string;
  /** The route's pattern, never the URL, because a path or query may contain a key or seed phrase. */
  route: string | undefined;
  status: number;
  ms: number;
  user: number | undefined;
};

const rounded = (facts: RequestFacts): RequestFacts => ({ ...facts, ms: Math.round(facts.ms * 10) / 10 });

export function factsOf(request: FastifyRequest, reply: FastifyReply, status: number): RequestFacts {
  const { id: reqId, method, is404, routeOptions, user } = request;
  const route = is404 ? undefined : routeOptions.url;
  return { reqId, method, route, status, ms: reply.elapsedTime, user };
}

type Options = {
  /** Which requests are logged. With `errors`, the line of a cause also contains the latest failed request. */
  which: 'all' | 'errors' | 'none';
  logger: FastifyBaseLogger;
  failures: { failed(work: string, error: unknown, facts: object): void };
};

/** A failed request has its own line if the service is at fault. Otherwise, the line of its cause counts it. */
export function createRequestLog({ which, logger, failures }: Options) {
  const answered = (facts: RequestFacts) => logger.info(rounded(facts), 'request completed');

  return {
    answered: which === 'all' ? answered : undefined,

    failed(request: RequestFacts, problem: Problem): void {
      const { code, cause: err } = problem;
      const facts = { ...rounded(request), code };
      if (code === 'internal_error') logger.error({ ...facts, err }, 'request failed');
      else failures.failed('request', problem, which === 'errors' ? facts : {});
    },

    listen(app: FastifyInstance): void {
      if (which !== 'all') return;
      app.addHook('onResponse', (request, reply, done) => {
        // A fault of the service has its own line.
        if (reply.statusCode !== 500) answered(factsOf(request, reply, reply.statusCode));
        done();
      });
    },
  };
}

export type RequestLog = ReturnType<typeof createRequestLog>;
export type LogAnswer = NonNullable<RequestLog['answered']>;
