import type { NodeReply, NodeRequest } from '#cosmos/exchange';
import { createBreaker } from '#upstream/circuit-breaker';
import { FAILURE_CAUSES, type FailureCause, UpstreamFailure } from '#upstream/failure';
import { retryAfter } from '#upstream/transport/json-answer';
import { parseJson } from '#upstream/transport/json-parse';
import {
  openUpstream,
  type UpstreamAnswer,
  type UpstreamOptions,
  type UpstreamRequest,
} from '#upstream/transport/upstream';

/** A gateway or proxy in front of the node sends these statuses. They do not describe the request. */
const IN_BETWEEN = new Set([502, 503, 504]);
const BLOCK_HEIGHT = 'grpc-metadata-x-cosmos-block-height';
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_SEARCH_BYTES = 4 * 1024 * 1024;
/** The maximum nesting depth of JSON. Real transactions are far below this limit. */
const DEEPEST = 500;
/** Allows one JSON value per this many bytes. Recorded transactions have one value per 26 bytes. */
const BYTES_OF_VALUE = 8;

/** The size and duration of a response depend on the request, so these failures do not count against the node. */
const OWN_FAILURES: ReadonlySet<FailureCause> = new Set(['too_large']);
const SEARCH_FAILURES: ReadonlySet<FailureCause> = new Set(
  FAILURE_CAUSES.filter((cause) => cause !== 'unreachable' && cause !== 'rate_limited'),
);
/** Connections for searches, and for all other calls: enough for sixteen users with four calls each. */
const CONNECTIONS = 64;

/** Whether the caller's parameters determine the duration. Only searches and further pages have a query. */
export const isUpToCaller = ({ method, query }: NodeRequest): boolean => method === 'GET' && query.length > 0;

async function bodyOf(name: string, { text }: UpstreamAnswer, maxBytes: number): Promise<unknown> {
  try {
    return await parseJson(text, { depth: DEEPEST, values: maxBytes / BYTES_OF_VALUE });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw new UpstreamFailure(name, 'too_large', (error as Error).message, { cause: error });
  }
}

/** Throws `UpstreamFailure` if the response cannot come from the node itself. */
async function toReply(name: string, answer: UpstreamAnswer, maxBytes: number, now: number): Promise<NodeReply> {
  const { status, headers } = answer;
  if (status === 429) {
    throw new UpstreamFailure(name, 'rate_limited', `status ${status}`, { retryAfter: retryAfter(headers, now) });
  }
  const body = await bodyOf(name, answer, maxBytes);
  if (IN_BETWEEN.has(status) || (status === 500 && body === undefined)) {
    throw new UpstreamFailure(name, 'server_error', `status ${status}`);
  }
  if (status >= 200 && status < 300 && body === undefined) {
    throw new UpstreamFailure(name, 'not_json', `status ${status} without JSON`);
  }
  return { status, body, blockHeight: headers[BLOCK_HEIGHT] };
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
    ...options,
    ...withoutCredentials(url),
    name,
    reserve: async () => true,
    callSpacing: () => 0,
    connections: CONNECTIONS,
  };
  const upstream = openUpstream(parts);
  // Callers determine how long a search takes. Searches have separate connections, so that they delay no other calls.
  const searches = openUpstream({ ...parts, breaker: createBreaker() });

  return {
    /** Throws `UpstreamFailure` if no response arrives. `sent` states whether the node may have the request. */
    send(request: NodeRequest, withinMs: number): Promise<NodeReply> {
      const { path, query, body } = request;
      const isSearch = isUpToCaller(request);
      const maxBytes = isSearch && path.endsWith('/txs') ? MAX_SEARCH_BYTES : MAX_BYTES;
      const upstreamRequest: UpstreamRequest = {
        path,
        query: new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])),
        withinMs: Math.max(1, Math.ceil(withinMs)),
        maxBytes,
        ownFailures: isSearch ? SEARCH_FAILURES : OWN_FAILURES,
        ...(body !== undefined && { body }),
      };
      const { sendOnce } = isSearch ? searches : upstream;
      return sendOnce(upstreamRequest, (answer) => toReply(name, answer, maxBytes, clock.now()));
    },

    async close(): Promise<void> {
      await Promise.all([upstream.close(), searches.close()]);
    },
  };
}

export type NodeSource = ReturnType<typeof openNode>;
