import type { FailureCause } from '#upstream/failures/failure';
import { type Target, targetOf } from './http-client.ts';

/** `path` is relative to the base URL. `withinMs` lowers the upstream's deadline. */
export type UpstreamRequest = {
  path: string;
  query?: Record<string, string> | URLSearchParams;
  /** The body, which is sent as JSON with POST. If there is no body, the request is a GET. */
  body?: unknown;
  /** A request that is passed on: its query, with `?`, and its JSON body are sent as they are. */
  verbatim?: { search: string; headers?: Record<string, string>; body?: string | Buffer };
  withinMs?: number;
  /** The maximum response size in bytes; 64 KB by default. */
  maxBytes?: number;
  /** Cancels the call if its caller no longer needs it. The call then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Failures that the request itself causes. They do not count as failures of the upstream. */
  ownFailures?: ReadonlySet<FailureCause>;
  /** The name of the path in the circuit breaker, if requests with the same `path` can fail separately. */
  circuit?: string;
};

/** Providers of nodes put access tokens into host names. A label of a public host is shorter. */
const MAX_LABEL_LENGTH = 15;

/** A host name for traces, without labels that may be secret. An IPv6 address is in brackets. */
const shownHost = (hostname: string): string =>
  hostname.startsWith('[')
    ? hostname
    : hostname
        .split('.')
        .map((label) => (label.length > MAX_LABEL_LENGTH ? '***' : label))
        .join('.');

export function createTargets(baseUrl: string) {
  const url = baseUrl.replace(/\/+$/, '');
  const { origin, pathname, hostname, protocol } = new URL(url);
  const basePath = pathname.replace(/\/$/, '');

  return {
    endpoint: { 'server.address': shownHost(hostname), 'url.scheme': protocol.slice(0, -1) },

    targetIn({ path, query, verbatim }: UpstreamRequest): Target {
      // Parsing the path as a URL would encode it again.
      if (verbatim) return { origin, path: (basePath + path || '/') + verbatim.search };
      const search = new URLSearchParams(query).toString();
      return targetOf(`${url}${path}${search && '?'}${search}`);
    },
  };
}
