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
 * Errors of nodes. Legacy: `{error}` with 400 or 404 for an invalid request, and 500 for every error of the chain's
 * RPC, including invalid requests. Modern: `{code, message, details}` with a gRPC code and its status; 2 or 13 with
 * 500 is again any error of the RPC, such as a page beyond the last.
 */

const GRPC = {
  deadline: 4,
  notFound: 5,
  denied: 7,
  exhausted: 8,
  unimplemented: 12,
  unavailable: 14,
  unknownCaller: 16,
};

/** Failures of the node under 5xx; any other text is an invalid request. */
const UNAVAILABLE =
  /connection (refused|reset)|dial tcp|no such host|broken pipe|\bEOF\b|time(d )?out|deadline exceeded|context canceled|unavailable|panic|indexing is disabled|catching up|still syncing/i;

/** Statuses that a node uses for an invalid request; any other comes from a proxy in front of it. */
const REFUSALS = new Set([400, 404, 409, 413, 414, 415, 422, 500]);

/** A router's error for an unknown path. */
const NO_SUCH_PATH = /^(not implemented|not found|404 page not found)$/i;

function messageOf(body: unknown): string | undefined {
  if (!isMembers(body)) return undefined;
  const said = body.error ?? body.message;
  return typeof said === 'string' ? said : undefined;
}

/** The fault of an answer without an error message: a proxy's, or another server's. */
function faultOf(status: number): NodeFault {
  if (status === 429) return new NodeFault('rate_limited', 'the node limits our rate');
  if (status === 404 || status === 405 || status === 501) {
    return new NodeFault('wrong_dialect', `the node does not know the path (${status})`);
  }
  return new NodeFault(status >= 500 ? 'unavailable' : 'malformed', `the node answered ${status} without a word`);
}

function refusalOf(status: number, code: unknown, message: string): NodeFault | NodeRejection {
  if (code === GRPC.unimplemented || status === 501 || NO_SUCH_PATH.test(message)) {
    return new NodeFault('wrong_dialect', message);
  }
  if (code === GRPC.exhausted || status === 429) return new NodeFault('rate_limited', message);
  // Our operator lacks the permission or has not paid; the caller cannot change that.
  const isOurs = code === GRPC.denied || code === GRPC.unknownCaller || !REFUSALS.has(status);
  const isDown = code === GRPC.unavailable || code === GRPC.deadline;
  if (isOurs || isDown || (status === 500 && UNAVAILABLE.test(message))) return new NodeFault('unavailable', message);
  if (code === GRPC.notFound || status === 404) return new NodeRejection(404, message);
  // Any other 500 would only repeat, so the request has to change.
  return new NodeRejection(status === 422 ? 422 : 400, message);
}

/** The members of a 2xx answer. Throws `NodeRejection` or `NodeFault` for any other. */
export function answered({ status, body }: NodeReply): Members {
  if (status >= 200 && status < 300) {
    if (isMembers(body)) return body;
    throw new NodeFault('malformed', 'the node gave no JSON object');
  }
  const message = messageOf(body);
  if (message === undefined) throw faultOf(status);
  throw refusalOf(status, isMembers(body) ? body.code : undefined, message);
}

/** Maps the error of a look-up by hash: nodes report an unknown hash with 400, 404 or 500. */
export function notFound(error: unknown): unknown {
  const isUnknown = error instanceof NodeRejection && /not found/i.test(error.message);
  return isUnknown ? new NodeRejection(404, error.message) : error;
}

/**
 * The calls of both dialects, in the legacy shapes. The caller validates addresses and hashes. Each call throws
 * `NodeRejection` for a rejected request, `NodeFault` for a failure of the node, and the transport's own errors.
 */
export type NodeCalls = {
  balances(address: string): Promise<LegacyBalances>;
  /** A page of transactions; the query may be of either dialect (`readSearch`). */
  transactions(query: readonly (readonly [name: string, value: string])[]): Promise<LegacySearch>;
  /** Throws `NodeRejection` with 404 for a hash that the node does not know. */
  transaction(hash: string): Promise<LegacyTransaction>;
  /** An account that does not exist has an empty `address`. */
  account(address: string): Promise<LegacyAccount>;
  nodeInfo(): Promise<LegacyNodeInfo>;
  /** The latest block by default. */
  block(height?: string): Promise<LegacyBlock>;
  /**
   * Converts a request to the node's form. A modern node receives encoded amino JSON; its accounts name the signers.
   * Throws `NodeRejection` with 422 if that is impossible. Sends no transaction.
   *
   * @param sequence of the single signer, if the caller has a newer one than the latest block
   */
  prepare(request: BroadcastRequest, sequence?: string): Promise<BroadcastRequest>;
  /**
   * Sends a transaction. One that the chain rejects is returned with its `code`. A modern node receives `sync` for
   * `block`; `untilInBlock` does the waiting. Throws `NodeRejection` with 422 before sending for an unsupported form.
   */
  broadcast(request: BroadcastRequest): Promise<LegacyTransaction>;
  latestHeight(): Promise<number>;
  /** The latest block; `chainId` is undefined if the node omits it. */
  head(): Promise<{ height: number; chainId: string | undefined }>;
};

/** The parameter in which a modern node expects the conditions of a search. */
export type NodeCapabilities = { conditionsIn?: 'query' | 'events' };
