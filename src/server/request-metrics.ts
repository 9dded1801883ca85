import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  /** The sum of durations in seconds, followed by the counts: an observation takes only two writes. */
  readonly figures: Float64Array;
};

/** One count per bucket. The last bucket is for durations beyond all bounds. */
export const countsOf = ({ figures }: Pick<Histogram, 'figures'>): Float64Array => figures.subarray(1);

export const countIn = (counts: Float64Array): number => counts.reduce((sum, count) => sum + count, 0);

/** Adds a response with its duration in seconds. The fast path calls this for each request. */
export function observe({ figures }: Histogram, seconds: number): void {
  let bucket = 0;
  while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket += 1;
  figures[0] = (figures[0] as number) + seconds;
  figures[bucket + 1] = (figures[bucket + 1] as number) + 1;
}

export function createRequestHistograms() {
  /** By route. A route has few methods and statuses. */
  const histograms = new Map<string, Histogram[]>();
  const problems = new Map<ProblemCode, number>(PROBLEM_CODES.map((code) => [code, 0]));

  /** Returns the histogram of a route's pattern (undefined if no route matched), a method and a status. */
  function of(pattern: string | undefined, verb: string, status: number): Histogram {
    const route = pattern ?? 'unmatched';
    const method = METHODS.has(verb) ? verb : 'other';
    const ofRoute = histograms.get(route) ?? [];
    const existing = ofRoute.find((one) => one.status === status && one.method === method);
    if (existing) return existing;
    const histogram = { route, method, status, figures: new Float64Array(BOUNDS.length + 2) };
    histograms.set(route, [...ofRoute, histogram]);
    return histogram;
  }

  return {
    of,

    observe: (route: string | undefined, method: string, status: number, seconds: number): void =>
      observe(of(route, method, status), seconds),

    all: (): Iterable<Histogram> => [...histograms.values()].flat(),

    problem: (code: ProblemCode): void => void problems.set(code, (problems.get(code) ?? 0) + 1),

    problems: (): Iterable<[ProblemCode, number]> => problems,
  };
}

export type RequestHistograms = ReturnType<typeof createRequestHistograms>;

const isSuccess = ({ status }: Histogram) => status < 300 || status === 304;

/** Adds up the durations of successful responses per route, so that clients cannot create histograms. */
export function durationsOf(histograms: Iterable<Histogram>) {
  const byRoute = new Map<string, Float64Array>();
  for (const histogram of histograms) {
    if (!isSuccess(histogram)) continue;
    const { route, figures } = histogram;
    const sums = byRoute.get(route);
    byRoute.set(route, sums ? sums.map((sum, place) => sum + (figures[place] ?? 0)) : figures);
  }
  return Array.from(byRoute, ([route, figures]) => {
    const [sum = 0] = figures;
    return { labels: { route }, counts: countsOf({ figures }), sum };
  });
}

/** Excluded from the service level, because the failures and durations depend on the nodes. */
const EXCLUDED = /\/v1\/node\/|\/health\/(live|ready)$/;
/** The duration in seconds above which a response misses the service level. */
const SLOW = 0.5;
const FAST_BUCKETS = BOUNDS.indexOf(SLOW) + 1;

/** Counts responses by their result for the service level. All results exist from the start, as `rate` requires. */
function resultsOf(histograms: Iterable<Histogram>) {
  const results = { ok: 0, slow: 0, rejected: 0, failed: 0 };
  for (const histogram of histograms) {
    if (EXCLUDED.test(histogram.route)) continue;
    const counts = countsOf(histogram);
    const total = countIn(counts);
    const fast = countIn(counts.subarray(0, FAST_BUCKETS));
    if (isSuccess(histogram)) {
      results.ok += fast;
      results.slow += total - fast;
    } else {
      results[histogram.status >= 500 ? 'failed' : 'rejected'] += total;
    }
  }
  return Object.entries(results).map(([result, value]) => ({ labels: { result }, value }));
}

export function addRequestReadings(registry: MetricsRegistry, requests: RequestHistograms): void {
  const counts = () =>
    Array.from(requests.all(), (histogram) => {
      const { route, method, status } = histogram;
      return { labels: { route, method, status: String(status) }, value: countIn(countsOf(histogram)) };
    });
  const answered = 'Requests, by method, route pattern and status';
  registry.counters('quotient_http_requests_total', answered, counts);
  const results =
    'Responses by their result for the service level, except responses to health checks and on node routes';
  registry.counters('quotient_responses_total', results, () => resultsOf(requests.all()));
  const problems = () => Array.from(requests.problems(), ([code, value]) => ({ labels: { code }, value }));
  registry.counters('quotient_problems_total', 'Problem responses, by code', problems);
  const durations = 'Time from a request to the end of its response; only successful responses (2xx or 304)';
  registry.histograms('quotient_http_request_duration_seconds', durations, BOUNDS, () => durationsOf(requests.all()));
}

type Options = { host: string; port: number; contentType: string; text: () => Promise<string> };

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
    address: server.address() as AddressInfo,
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
