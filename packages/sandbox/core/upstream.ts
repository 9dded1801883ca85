import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from './time.ts';

/** What all figures follow from. */
export type Setting = { seed: number; clock: Clock };

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
 * A stand-in for an upstream, below `prefix` (such as `/api/v3`). `endpointOf` replaces the variable parts of a path by
 * `{id}`, to count the calls of an endpoint. `rateLimited` is its rate-limit answer under HTTP 200, if it has one.
 */
export type Upstream = {
  prefix: string;
  endpointOf?(path: string): string;
  answer(request: UpstreamRequest): Answer;
  rateLimited?(): Answer;
};
