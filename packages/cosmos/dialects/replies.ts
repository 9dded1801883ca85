import { NodeFault, NodeRejection, type NodeReply } from '../exchange.ts';
import type {
  BroadcastRequest,
  LegacyAccount,
  LegacyBalances,
  LegacyBlock,
  LegacyNodeInfo,
  LegacySearch,
  LegacyTransaction,
} from '../legacy-shapes.ts';
import { isMembers, type Members } from '../parsers.ts';

/*
 * Error responses of nodes:
 *
 * - Legacy: `{error}`. Statuses 400 and 404 mean an invalid request. Status 500 can be any error of the chain's RPC,
 *   including other invalid requests.
 * - Modern: `{code, message, details}`, with a gRPC code and its HTTP status. Code 2 or 13 with status 500 can be any
 *   error of the RPC, such as a request for a page after the last one.
 */

const GRPC = {
  deadline: 4,
  notFound: 5,
  permissionDenied: 7,
  exhausted: 8,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
};

/** Messages that indicate a failure of the node. With status 500, any other message indicates an invalid request. */
const UNAVAILABLE =
  /connection (refused|reset)|dial tcp|no such host|broken pipe|\bEOF\b|time(d )?out|deadline exceeded|context canceled|unavailable|panic|indexing is disabled|catching up|still syncing/i;

/** The statuses with which a node rejects an invalid request. Any other status is from a proxy in front of the node. */
const REJECTIONS = new Set([400, 404, 409, 413, 414, 415, 422, 500]);

/** A router's error for an unknown path. */
const NO_SUCH_PATH = /^(not implemented|not found|404 page not found)$/i;

function messageOf(body: unknown): string | undefined {
  if (!isMembers(body)) return undefined;
  const message = body.error ?? body.message;
  return typeof message === 'string' ? message : undefined;
}

/** The fault for a response without an error message. A proxy or another kind of server sends such responses. */
function faultOf(status: number): NodeFault {
  if (status === 429) return new NodeFault('rate_limited', 'the node rejected the request because of its rate limit');
  if (status === 404 || status === 405 || status === 501) {
    return new NodeFault('wrong_dialect', `the node does not support this path (${status})`);
  }
  return new NodeFault(
    status >= 500 ? 'unavailable' : 'malformed',
    `the node responded with status ${status} and no error message`,
  );
}

function errorOf(status: number, code: unknown, message: string): NodeFault | NodeRejection {
  if (code === GRPC.unimplemented || status === 501 || NO_SUCH_PATH.test(message)) {
    return new NodeFault('wrong_dialect', message);
  }
  if (code === GRPC.exhausted || status === 429) return new NodeFault('rate_limited', message);
  // The operator has no permission or has not paid. The caller cannot change that.
  const isOperatorFault = code === GRPC.permissionDenied || code === GRPC.unauthenticated || !REJECTIONS.has(status);
  const isDown = code === GRPC.unavailable || code === GRPC.deadline;
  if (isOperatorFault || isDown || (status === 500 && UNAVAILABLE.test(message)))
    return new NodeFault('unavailable', message);
  if (code === GRPC.notFound || status === 404) return new NodeRejection(404, message);
  // Any other error with status 500 would recur, so the request must change.
  return new NodeRejection(status === 422 ? 422 : 400, message);
}

/** The body of a 2xx response. Throws `NodeRejection` or `NodeFault` for any other response. */
export function bodyOf({ status, body }: NodeReply): Members {
  if (status >= 200 && status < 300) {
    if (isMembers(body)) return body;
    throw new NodeFault('malformed', 'the node did not return a JSON object');
  }
  const message = messageOf(body);
  if (message === undefined) throw faultOf(status);
  throw errorOf(status, isMembers(body) ? body.code : undefined, message);
}

/** Maps a "not found" error to status 404, because nodes report an unknown hash with status 400, 404 or 500. */
export function notFound(error: unknown): unknown {
  const isUnknown = error instanceof NodeRejection && /not found/i.test(error.message);
  return isUnknown ? new NodeRejection(404, error.message) : error;
}

/**
 * The calls of both dialects. Results have the legacy shapes. The caller must validate addresses and hashes. Each call
 * throws `NodeRejection` for a rejected request, `NodeFault` for a failure of the node, and errors of the transport.
 */
export type NodeCalls = {
  balances(address: string): Promise<LegacyBalances>;
  /** One page of transactions. The query may be in either dialect (see `readSearch`). */
  transactions(query: readonly (readonly [name: string, value: string])[]): Promise<LegacySearch>;
  /** Throws `NodeRejection` with 404 for a hash that the node does not know. */
  transaction(hash: string): Promise<LegacyTransaction>;
  /** An account that does not exist has an empty `address`. */
  account(address: string): Promise<LegacyAccount>;
  nodeInfo(): Promise<LegacyNodeInfo>;
  /** The block at a height; by default, the latest block. */
  block(height?: string): Promise<LegacyBlock>;
  /**
   * Converts a request to the form that the node accepts, without broadcasting it. For a modern node, encodes amino
   * JSON, which requires the signers' accounts. Throws `NodeRejection` with 422 for an unsupported form.
   * @param sequence of the single signer, if the caller knows a newer sequence than the one in the latest block
   */
  prepare(request: BroadcastRequest, sequence?: string): Promise<BroadcastRequest>;
  /**
   * Sends a transaction. If the chain rejects it, the result contains its `code`. A modern node receives `sync` instead
   * of `block`, so the caller must wait with `untilInBlock`. Throws `NodeRejection` with 422 for an unsupported form,
   * before anything is sent.
   */
  broadcast(request: BroadcastRequest): Promise<LegacyTransaction>;
  latestHeight(): Promise<number>;
  /** The latest block's height and chain ID; `chainId` is undefined if the node omits it. */
  head(): Promise<{ height: number; chainId: string | undefined }>;
};

/** The parameter in which a modern node expects the conditions of a search. */
export type NodeCapabilities = { conditionsIn?: 'query' | 'events' };
