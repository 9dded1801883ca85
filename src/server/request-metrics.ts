import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SECOND } from '#core/clock';
import type { MetricsRegistry } from '#core/metrics';
import { PROBLEM_CODES, type ProblemCode } from '#core/problems';

/** Upper bounds of the buckets in seconds, inclusive. */
export const BOUNDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5] as const;

/** Other methods count as `other`, so that clients cannot create series. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export type Histogram = {
  /** The route's pattern; `unmatched` if no route matched. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  /** The sum of durations in seconds, followed by the counts: one array, so that an observation takes two stores. */
  readonly figures: Float64Array;
};

/** One count per bucket; the last bucket is for durations beyond all bounds. */
export const countsOf = ({ figures }: Histogram): Float64Array => figures.subarray(1);

/** Adds a response with its duration in seconds. The fast path calls this for each request. */
export function observe({ figures }: Histogram, seconds: number): void {
  let bucket = 0;
  while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket += 1;
  figures[0] = (figures[0] as number) + seconds;
  figures[bucket + 1] = (figures[bucket + 1] as number) + 1;
}

export function createRequestHistograms() {
  const histograms = new Map<string, Histogram>();
  const problems = new Map<ProblemCode, number>(PROBLEM_CODES.map((code) => [code, 0]));

  /** Returns the histogram of a route's pattern (undefined if no route matched), a method and a status. */
  function of(pattern: string | undefined, verb: string, status: number): Histogram {
    const route = pattern ?? 'unmatched';
    const method = METHODS.has(verb) ? verb : 'other';
    const name = `${method} ${status} ${route}`;
    const known = histograms.get(name);
    if (known) return known;
    const histogram = { route, method, status, figures: new Float64Array(BOUNDS.length + 2) };
    histograms.set(name, histogram);
    return histogram;
  }

  return {
    of,

    observe: (route: string | undefined, method: string, status: number, seconds: number): void =>
      observe(of(route, method, status), seconds),

    all: (): Iterable<Histogram> => histograms.values(),

    /** Counts a response that is a problem. */
    problem: (code: ProblemCode): void => void problems.set(code, (problems.get(code) ?? 0) + 1),

    problems: (): Iterable<[ProblemCode, number]> => problems,
  };
}

export type RequestHistograms = ReturnType<typeof createRequestHistograms>;

/** Records the framework's responses, except those that run no hook. */
export function recordRequests(app: FastifyInstance, requests: RequestHistograms): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    requests.observe(route, request.method, reply.statusCode, reply.elapsedTime / SECOND);
    done();
  });
}

export function addRequestReadings(registry: MetricsRegistry, requests: RequestHistograms): void {
  const rows = () =>
    Array.from(requests.all(), (histogram) => {
      const { route, method, status } = histogram;
      const counts = countsOf(histogram);
      const value = counts.reduce((sum, count) => sum + count, 0);
      const labels = { route, method, status: String(status) };
      return { labels, counts, value, sum: histogram.figures[0] ?? 0 };
    });
  const answered = 'Requests by the pattern of their route';
  registry.counters('quotient_http_requests_total', answered, ['route', 'method', 'status'], rows);
  const problems = () => Array.from(requests.problems(), ([code, value]) => ({ labels: { code }, value }));
  registry.counters('quotient_problems_total', 'Responses that are problems, by their code', ['code'], problems);
  const durations = 'Time from a request to the end of its response';
  registry.histograms('quotient_http_request_duration_seconds', durations, BOUNDS, rows);
}

type Options = { host: string; port: number; contentType: string; text: () => Promise<string> };

/** Serves the operator's metrics on their own port, never on the public one. */
export async function listenForMetrics({ host, port, contentType, text }: Options) {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    text().then(
      (body) => response.writeHead(200, { 'content-type': contentType }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
