import type { IncomingHttpHeaders } from 'node:http';

export type Setting = { seed: number; clock: Clock };

/** `path` is relative to the upstream's prefix and has a leading slash. `query` is decoded. */
export type UpstreamRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
};

export type Answer = { status: number; headers: Record<string, string>; body: string };

/**
 * A stand-in for an upstream, with paths under `prefix`, such as `/api/v3`. `endpointOf` replaces variable parts of a
 * path with `{id}`, so that calls are counted by endpoint. `rateLimited` is the upstream's rate-limit response with
 * HTTP 200, if it has such a response.
 */
export type Upstream = {
  prefix: string;
  endpointOf?(path: string): string;
  answer(request: UpstreamRequest): Answer;
  rateLimited?(): Answer;
};

export const jsonReply = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

export const textReply = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});

type Route = (request: UpstreamRequest & { now: number }, id: string) => Answer;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * An upstream whose routes are named by method and path, such as `GET /coins/{id}`. A name in braces matches one segment
 * of the path, which the route receives decoded. The first route that matches responds.
 */
export function routed(
  prefix: string,
  clock: Clock,
  routes: Readonly<Record<string, Route>>,
  otherwise: (request: UpstreamRequest) => Answer,
): Upstream {
  const all = Object.entries(routes).map(([name, answer]) => {
    const [method, endpoint = ''] = name.split(' ');
    return { method, endpoint, pattern: new RegExp(`^${endpoint.replace(/\{\w+\}/, '([^/]+)')}$`), answer };
  });
  return {
    prefix,
    endpointOf: (path) => all.find(({ pattern }) => pattern.test(path))?.endpoint ?? path,
    answer(request) {
      for (const { method, pattern, answer } of all) {
        const match = request.method === method && pattern.exec(request.path);
        const id = match ? decoded(match[1] ?? '') : undefined;
        if (id !== undefined) return answer({ ...request, now: clock.now() }, id);
      }
      return otherwise(request);
    },
  };
}

/** A clock that returns Unix ms. It is compatible with the service's clocks. */
export type Clock = { now(): number };

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const startOfDate = (instant: number) => Math.floor(instant / DAY) * DAY;

export const iso = (instant: number) => new Date(instant).toISOString();

export const isoDate = (instant: number) => iso(instant).slice(0, 10);

type Call = { method: string; path: string; query: Record<string, string>; authorization?: string; at: number };

const MAX_CALLS = 10_000;

/** Records the latest 10,000 calls. Counts all calls by endpoint. */
export function createCallLog() {
  const calls: Call[] = [];
  const counts = new Map<string, number>();
  return {
    /** The recorded calls, oldest first. The array is never replaced. */
    calls: calls as readonly Call[],
    record(call: Call, endpoint: string): void {
      if (calls.push(call) > MAX_CALLS) calls.shift();
      counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
    },
    /** The number of calls since `clear` to endpoints that end in `endpoint`, such as `/market_chart`. */
    count(endpoint = ''): number {
      let total = 0;
      for (const [name, times] of counts) if (name.endsWith(endpoint)) total += times;
      return total;
    },
    clear(): void {
      calls.length = 0;
      counts.clear();
    },
  };
}
