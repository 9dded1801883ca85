import type { IncomingHttpHeaders } from 'node:http';

/** `path` is what follows the upstream's prefix, with its leading slash; `query` is decoded. */
export type UpstreamRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
};

export type Answer = { status: number; headers: Record<string, string>; body: string };

/**
 * A stand-in upstream, mounted by the server under `prefix` (such as `/api/v3`). `endpointOf` names the kind of
 * call a path is, its variable parts as `{id}`: calls are counted by it. `rateLimited` is its own way of saying so
 * under HTTP 200, where it has one.
 */
export type Upstream = {
  prefix: string;
  endpointOf(path: string): string;
  answer(request: UpstreamRequest): Answer;
  rateLimited?(): Answer;
};
