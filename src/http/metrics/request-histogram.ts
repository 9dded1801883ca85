import type { FastifyInstance } from 'fastify';
import { SECOND } from '#domain/clock';

/** The durations that are told apart, in seconds, each bound included: what is longer is beyond the last. */
export const BOUNDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5] as const;

/** What is not one of these is `other`: callers must not make up series. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The answers of one status to one method of one route, since the process started. */
export type Tally = {
  /** The pattern of the route; `unmatched` where no route took the request. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  /** The seconds they took together, and `countsOf`: all in one array, so that telling of an answer is two stores. */
  readonly figures: Float64Array;
};

/** How many took up to each bound and more than the one before; at the end, how many took longer than all. */
export const countsOf = ({ figures }: Tally): Float64Array => figures.subarray(1);

/** Adds an answer, and what it took in seconds. The door does it for each call. */
export function tell({ figures }: Tally, seconds: number): void {
  let bucket = 0;
  while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket += 1;
  figures[0] = (figures[0] as number) + seconds;
  figures[bucket + 1] = (figures[bucket + 1] as number) + 1;
}

/** How many requests were answered with what, and how long that took. */
export function createRequestTally() {
  const tallies = new Map<string, Tally>();

  /** The tally of a route's pattern (undefined where no route took the request), a method and a status. */
  function of(pattern: string | undefined, verb: string, status: number): Tally {
    const route = pattern ?? 'unmatched';
    const method = METHODS.has(verb) ? verb : 'other';
    const name = `${method} ${status} ${route}`;
    const known = tallies.get(name);
    if (known) return known;
    const tally = { route, method, status, figures: new Float64Array(BOUNDS.length + 2) };
    tallies.set(name, tally);
    return tally;
  }

  return {
    of,

    /** Tells of one answer; `seconds` is 0 where it is not known. */
    observe: (route: string | undefined, method: string, status: number, seconds: number): void =>
      tell(of(route, method, status), seconds),

    all: (): Iterable<Tally> => tallies.values(),
  };
}

export type RequestTally = ReturnType<typeof createRequestTally>;

/** Tallies every answer that the framework gives, but for those that run no hook. */
export function tallyRequests(app: FastifyInstance, tally: RequestTally): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    tally.observe(route, request.method, reply.statusCode, reply.elapsedTime / SECOND);
    done();
  });
}
