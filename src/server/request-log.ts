import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '#core/problems';

type Facts = {
  reqId: string;
  method: string;
  /** The pattern of the route, never the URL: a path or a query may hold a key or a seed phrase. */
  route: string | undefined;
  status: number;
  ms: number;
  user: number | undefined;
};

const rounded = (facts: Facts): Facts => ({ ...facts, ms: Math.round(facts.ms * 10) / 10 });

function factsOf(request: FastifyRequest, reply: FastifyReply, status: number): Facts {
  const { id: reqId, method, is404, routeOptions, user } = request;
  const route = is404 ? undefined : routeOptions.url;
  return { reqId, method, route, status, ms: reply.elapsedTime, user };
}

type Options = {
  /** Which requests have a line of their own: `errors` names the latest failed one in the line of its cause. */
  which: 'all' | 'errors' | 'none';
  logger: FastifyBaseLogger;
  /** What counts the failures of a cause. */
  failures: { failed(work: string, error: unknown, facts: object): void };
};

/** Logs requests. A failed one is one line: a fault of ours its own, any other a count in the line of its cause. */
export function createRequestLog({ which, logger, failures }: Options) {
  const answered = (facts: Facts) => logger.info(rounded(facts), 'request answered');

  return {
    /** Writes the line of an answer; undefined where requests have none. */
    answered: which === 'all' ? answered : undefined,

    /** A request was answered with a problem of 5xx. */
    failed(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
      const { code, status, cause: err } = problem;
      const facts = { ...rounded(factsOf(request, reply, status)), code };
      if (code === 'internal_error') logger.error({ ...facts, err }, 'request failed');
      else failures.failed('request', problem, which === 'errors' ? facts : {});
    },

    /** Logs the answers of the framework, where each is a line. */
    listen(app: FastifyInstance): void {
      if (which !== 'all') return;
      app.addHook('onResponse', (request, reply, done) => {
        // A fault of ours has its line.
        if (reply.statusCode !== 500) answered(factsOf(request, reply, reply.statusCode));
        done();
      });
    },
  };
}

export type RequestLog = ReturnType<typeof createRequestLog>;
export type LogAnswer = NonNullable<RequestLog['answered']>;
