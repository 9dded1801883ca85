import { createBreaker } from '../domain/breaker.ts';
import type { NodeQuestion, NodeReply } from '../domain/cosmos/exchange.ts';
import { isDeeper } from '../domain/json-depth.ts';
import { UpstreamFailure } from '../domain/upstream-failure.ts';
import { retryAfter } from './json-answer.ts';
import { openUpstream, type UpstreamAnswer, type UpstreamOptions } from './upstream.ts';

const UPSTREAM = 'node';

/** The gateway between REST and the node, or a proxy before it: nothing that they say is about the request. */
const IN_BETWEEN = new Set([502, 503, 504]);

const BLOCK_HEIGHT = 'grpc-metadata-x-cosmos-block-height';

/** How many objects and arrays may be inside one another: no transaction is anything like it. */
const DEEPEST = 500;

function parseJson(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return isDeeper(value, DEEPEST) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** An answer that may be the node's own. Throws `UpstreamFailure` for one that is not. */
function toReply({ status, headers, text }: UpstreamAnswer, now: number): NodeReply {
  if (status === 429) {
    throw new UpstreamFailure(UPSTREAM, 'rate_limited', `status ${status}`, {
      retryAfter: retryAfter(headers, now),
    });
  }
  const body = parseJson(text);
  if (IN_BETWEEN.has(status) || (status === 500 && body === undefined)) {
    throw new UpstreamFailure(UPSTREAM, 'server_error', `status ${status}`);
  }
  if (status >= 200 && status < 300 && body === undefined) {
    throw new UpstreamFailure(UPSTREAM, 'not_json', `status ${status} without JSON`);
  }
  return { status, body, blockHeight: headers[BLOCK_HEIGHT] };
}

/**
 * A URL without its credentials, and the header that they go out in instead (RFC 7617): of the URL alone they would be
 * dropped on the way.
 */
function withoutCredentials(text: string): Pick<UpstreamOptions, 'url' | 'headers'> {
  const url = new URL(text);
  const [name, password] = [url.username, url.password].map(decodeURIComponent);
  url.username = '';
  url.password = '';
  const bare = url.href.replace(/\/+$/, '');
  if (!name && !password) return { url: bare };
  const credentials = Buffer.from(`${name}:${password}`).toString('base64');
  return { url: bare, headers: { authorization: `Basic ${credentials}` } };
}

type Options = Pick<UpstreamOptions, 'url' | 'timeoutMs' | 'clock' | 'observe' | 'breaker'>;

/**
 * One node over HTTP. It sets no bound on the calls, and nothing of what a caller sent us goes to it but what is in
 * the question.
 */
export function openNode({ url, ...options }: Options) {
  const { clock } = options;
  const parts: UpstreamOptions = {
    ...options,
    ...withoutCredentials(url),
    name: UPSTREAM,
    reserve: async () => true,
    interval: () => 0,
  };
  const upstream = openUpstream(parts);
  // How long a search takes is up to whoever asks: with connections and a breaker of their own, slow ones keep nobody
  // from anything but searching.
  const searches = openUpstream({ ...parts, breaker: createBreaker() });
  const isSearch = ({ method, path, query }: NodeQuestion) =>
    method === 'GET' && query.length > 0 && path.endsWith('/txs');

  return {
    /**
     * Asks once. Throws `UpstreamFailure` when there is no answer, or none of a node; `sent` tells whether it may
     * have arrived.
     */
    ask(asked: NodeQuestion, withinMs: number): Promise<NodeReply> {
      const { path, query, body } = asked;
      const { askOnce } = isSearch(asked) ? searches : upstream;
      const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]));
      const question = { path, query: search, withinMs: Math.max(1, Math.ceil(withinMs)) };
      return askOnce(body === undefined ? question : { ...question, body }, (answer) =>
        toReply(answer, clock.now()),
      );
    },

    async close(): Promise<void> {
      await Promise.all([upstream.close(), searches.close()]);
    },
  };
}

export type NodeSource = ReturnType<typeof openNode>;
