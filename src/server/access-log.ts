import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '#core/problems';

export type RequestFacts = {
  reqId: string;
  method: string;
  /** The route's pattern, never the URL, because a path or query may contain a key or seed phrase. */
  route: string | undefined;
  status: number;
  ms: number;
  user: number | undefined;
};

function rounded({ reqId, method, route, status, ms, user }: RequestFacts): RequestFacts {
  return { reqId, method, route, status, ms: Math.round(ms * 10) / 10, user };
}

/** Returns the pattern of the route, or the call that the route passes on. */
const routeOf = ({ passedCall, routeOptions }: FastifyRequest): string | undefined => passedCall ?? routeOptions.url;

export function factsOf(request: FastifyRequest, reply: FastifyReply, status: number): RequestFacts {
  const { id: reqId, method, is404, user } = request;
  const route = is404 ? undefined : routeOf(request);
  return { reqId, method, route, status, ms: reply.elapsedTime, user };
}

type Options = {
  /** Which requests are logged. With `errors`, the line for a cause also contains the latest failed request. */
  which: 'all' | 'errors' | 'none';
  logger: FastifyBaseLogger;
  failures: { failed(work: string, error: unknown, fields: object): void };
};

/** A failed request has its own line if the service is at fault. Otherwise, it is counted in the line for its cause. */
export function createAccessLog({ which, logger, failures }: Options) {
  const completed = (request: RequestFacts) => logger.info(rounded(request), 'request completed');

  return {
    /** Undefined if only failures are logged. */
    completed: which === 'all' ? completed : undefined,

    failed(request: RequestFacts, problem: Problem): void {
      const { code, cause: err } = problem;
      const fields = { ...rounded(request), code };
      if (code === 'internal_error') logger.error({ ...fields, err }, 'request failed');
      else failures.failed('request', problem, which === 'errors' ? fields : {});
    },
  };
}

export type AccessLog = ReturnType<typeof createAccessLog>;
export type LogResponse = NonNullable<AccessLog['completed']>;
