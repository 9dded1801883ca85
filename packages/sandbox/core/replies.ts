import type { Clock } from './time.ts';
import type { Answer, Upstream, UpstreamRequest } from './upstream.ts';

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

/** The body of a request as JSON; undefined if it is none. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

type Route = (now: number, request: UpstreamRequest) => Answer;

/** An upstream that answers GETs of certain paths. */
export const routed = (
  prefix: string,
  clock: Clock,
  routes: Readonly<Record<string, Route>>,
  otherwise: (request: UpstreamRequest) => Answer,
): Upstream => ({
  prefix,
  answer(request) {
    const isKnown = request.method === 'GET' && Object.hasOwn(routes, request.path);
    return (isKnown && routes[request.path]?.(clock.now(), request)) || otherwise(request);
  },
});
