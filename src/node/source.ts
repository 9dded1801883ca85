import { SECOND } from '#core/clock';
import { nodeStateOf } from '#cosmos/dialects/node-errors';
import type { NodeReply, NodeRequest } from '#cosmos/exchange';
import { createBreaker } from '#upstream/circuit-breaker';
import { FAILURE_CAUSES, type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { parseJson } from '#upstream/transport/json-parse';
import { retryAfter } from '#upstream/transport/json-response';
import { textOf } from '#upstream/transport/response-body';
import {
  openUpstream,
  type UpstreamOptions,
  type UpstreamRequest,
  type UpstreamResponse,
} from '#upstream/transport/upstream';

/** A gateway or proxy in front of the node sends these statuses. They do not describe the request. */
const IN_BETWEEN = new Set([502, 503, 504]);
const BLOCK_HEIGHT = 'grpc-metadata-x-cosmos-block-height';
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_SEARCH_BYTES = 4 * 1024 * 1024;
/** The maximum nesting depth of JSON. Real transactions are far below this limit. */
const MAX_DEPTH = 500;
/** Allows one JSON value per this many bytes. Recorded transactions have one value per 26 bytes. */
const BYTES_OF_VALUE = 8;

/** The size and duration of a response depend on the request, so these failures do not count against the node. */
const OWN_FAILURES: ReadonlySet<FailureCause> = new Set(['too_large']);
const SEARCH_FAILURES: ReadonlySet<FailureCause> = new Set(
  FAILURE_CAUSES.filter((cause) => cause !== 'unreachable' && cause !== 'rate_limited'),
);
/** Connections for searches, and for all other calls: enough for sixteen users with four calls each. */
const CONNECTIONS = 64;

/** How often each node's newest block is requested while calls arrive, in ms, and how long a failing node is paused. */
export const CHECK_INTERVAL = 10 * SECOND;
export const createNodeBreaker = () => createBreaker({ longestOpen: CHECK_INTERVAL });

/** A request that is sent to a node as it is. `path` is under the base URL. `search` is empty or starts with `?`. */
export type PassedRequest = {
  path: string;
  search: string;
  headers?: Record<string, string>;
  /** A JSON text, which is sent with POST. */
  body?: string | Buffer;
  /** Whether the response may be large and slow. */
  isSearch: boolean;
  /** The name of the call in the circuit breaker. */
  circuit: string;
};
/** `body` is the parsed body of an error, undefined if it is not JSON. Other bodies are not parsed. */
export type PassedReply = Pick<UpstreamResponse, 'status' | 'headers' | 'bytes'> & { body?: unknown };

/** Whether the caller's parameters determine the duration. Only searches and further pages have a query. */
export const isUpToCaller = ({ method, query }: NodeRequest): boolean => method === 'GET' && query.length > 0;

async function bodyOf(name: string, text: string, maxBytes: number): Promise<unknown> {
  try {
    return await parseJson(text, { depth: MAX_DEPTH, values: maxBytes / BYTES_OF_VALUE });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw new UpstreamFailure(name, 'too_large', (error as Error).message, { cause: error });
  }
}

/** Throws `UpstreamFailure` if the response cannot come from the node itself. */
async function toReply(name: string, response: UpstreamResponse, maxBytes: number, now: number): Promise<NodeReply> {
  const { status, headers } = response;
  const text = textOf(response);
  const body = status === 429 ? undefined : await bodyOf(name, text, maxBytes);
  // Gateways and CDNs also report a rate limit with other statuses, as a page or as plain text.
  const reported = status >= 400 ? nodeStateOf(text) : undefined;
  if (status === 429 || (body === undefined && reported === 'rate_limited')) {
    const seconds = retryAfter(headers, now) ?? CHECK_INTERVAL / SECOND;
    throw new UpstreamFailure(name, 'rate_limited', `status ${status}`, { retryAfter: seconds });
  }
  const isOfNode = body !== undefined && reported !== undefined;
  if ((IN_BETWEEN.has(status) && !isOfNode) || (status === 500 && body === undefined)) {
    throw new UpstreamFailure(name, 'server_error', `status ${status}`);
  }
  if (status >= 200 && status < 300 && body === undefined) {
    throw new UpstreamFailure(name, 'not_json', `status ${status} without JSON`);
  }
  return { status, body, blockHeight: headers[BLOCK_HEIGHT]?.toString() };
}

const OPENING_BRACE = 0x7b;

/** Throws like `toReply`. Nodes respond only with JSON objects, so a page is recognized by its first byte. */
function toPassedReply(
  name: string,
  response: UpstreamResponse,
  maxBytes: number,
  now: number,
): PassedReply | Promise<PassedReply> {
  const { status, headers, bytes } = response;
  if (status >= 400)
    return toReply(name, response, maxBytes, now).then(({ body }) => ({ status, headers, bytes, body }));
  if (bytes[0] === OPENING_BRACE) return response;
  throw new UpstreamFailure(name, 'not_json', `status ${status} without JSON`);
}

/** Moves a URL's credentials to a header (RFC 7617), because the HTTP client drops credentials in URLs. */
function withoutCredentials(text: string): Pick<UpstreamOptions, 'url' | 'headers'> {
  const url = new URL(text);
  const [name, password] = [url.username, url.password].map(decodeURIComponent);
  url.username = '';
  url.password = '';
  if (!name && !password) return { url: url.href };
  const credentials = Buffer.from(`${name}:${password}`).toString('base64');
  return { url: url.href, headers: { authorization: `Basic ${credentials}` } };
}

type Options = Pick<UpstreamOptions, 'url' | 'timeoutMs' | 'clock' | 'observe' | 'breaker'> & { name?: string };

/** One node over HTTP. The number of calls is not limited. Only the given request is forwarded. */
export function openNode({ url, name = 'node', ...options }: Options) {
  const { clock } = options;
  const parts: UpstreamOptions = {
    breaker: createNodeBreaker(),
    ...options,
    ...withoutCredentials(url),
    name,
    callSpacing: () => 0,
    connections: CONNECTIONS,
  };
  const upstream = openUpstream(parts);
  // Callers determine how long a search takes. Searches have separate connections, so that they delay no other calls.
  const searches = openUpstream({ ...parts, breaker: createNodeBreaker() });

  return {
    /** Throws `UpstreamFailure` if no response arrives. `sent`: whether the node may have the request. */
    send(request: NodeRequest, withinMs: number, signal?: AbortSignal): Promise<NodeReply> {
      const { path, query, body } = request;
      const isSearch = isUpToCaller(request);
      const maxBytes = isSearch && path.endsWith('/txs') ? MAX_SEARCH_BYTES : MAX_BYTES;
      const upstreamRequest: UpstreamRequest = {
        path,
        query: new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])),
        withinMs: Math.max(1, Math.ceil(withinMs)),
        maxBytes,
        ownFailures: isSearch ? SEARCH_FAILURES : OWN_FAILURES,
        signal,
        ...(body !== undefined && { body }),
      };
      const { sendOnce } = isSearch ? searches : upstream;
      return sendOnce(upstreamRequest, (response) => toReply(name, response, maxBytes, clock.now()));
    },

    /** Like `send`. Callers choose what they request, so only failures of the connection count against the node. */
    pass(request: PassedRequest, withinMs: number, signal?: AbortSignal): Promise<PassedReply> {
      const { path, isSearch, circuit } = request;
      const maxBytes = isSearch ? MAX_SEARCH_BYTES : MAX_BYTES;
      const { sendOnce } = isSearch ? searches : upstream;
      return sendOnce(
        {
          path,
          circuit,
          verbatim: request,
          maxBytes,
          signal,
          withinMs: Math.max(1, Math.ceil(withinMs)),
          ownFailures: SEARCH_FAILURES,
        },
        (response) => toPassedReply(name, response, maxBytes, clock.now()),
      );
    },

    async close(): Promise<void> {
      await Promise.all([upstream.close(), searches.close()]);
    },
  };
}

export type NodeSource = ReturnType<typeof openNode>;
