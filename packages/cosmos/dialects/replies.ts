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
 * Errors as nodes tell them. Legacy: `{error}`, under 400 or 404 where the node says what is wrong with the request,
 * and under 500 for whatever the chain's own RPC refused, the request's faults among them. Modern: `{code, message,
 * details}` with a code of gRPC, under the status that goes with it; code 2 or 13 under 500 is again whatever the RPC
 * refused, such as a page beyond the last.
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

/** Of what is told under 5xx, what is the node's own trouble; anything else is a fault of the request. */
const UNAVAILABLE =
  /connection (refused|reset)|dial tcp|no such host|broken pipe|\bEOF\b|time(d )?out|deadline exceeded|context canceled|unavailable|panic|indexing is disabled|catching up|still syncing/i;

/** The statuses under which a node tells what is wrong with a request; under any other, something before it speaks. */
const REFUSALS = new Set([400, 404, 409, 413, 414, 415, 422, 500]);

/** What a router says of a path that it does not know. */
const NO_SUCH_PATH = /^(not implemented|not found|404 page not found)$/i;

function messageOf(body: unknown): string | undefined {
  if (!isMembers(body)) return undefined;
  const said = body.error ?? body.message;
  return typeof said === 'string' ? said : undefined;
}

/** An answer that is no node's own: a proxy in front of it, or another server altogether. */
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
  // Who may not ask, or has not paid, is the operator of this service, and not whoever calls it.
  const isOurs = code === GRPC.denied || code === GRPC.unknownCaller || !REFUSALS.has(status);
  const isDown = code === GRPC.unavailable || code === GRPC.deadline;
  if (isOurs || isDown || (status === 500 && UNAVAILABLE.test(message))) return new NodeFault('unavailable', message);
  if (code === GRPC.notFound || status === 404) return new NodeRejection(404, message);
  // A 500 that is none of the node's own trouble would only be repeated: it is the request that has to change.
  return new NodeRejection(status === 422 ? 422 : 400, message);
}

/** The members of an answer with 2xx. Throws `NodeRejection` or `NodeFault` for any other. */
export function answered({ status, body }: NodeReply): Members {
  if (status >= 200 && status < 300) {
    if (isMembers(body)) return body;
    throw new NodeFault('malformed', 'the node gave no JSON object');
  }
  const message = messageOf(body);
  if (message === undefined) throw faultOf(status);
  throw refusalOf(status, isMembers(body) ? body.code : undefined, message);
}

/** Of a look-up by hash: nodes have told an unknown one under 400, 404 and 500. */
export function notFound(error: unknown): unknown {
  const isUnknown = error instanceof NodeRejection && /not found/i.test(error.message);
  return isUnknown ? new NodeRejection(404, error.message) : error;
}

/**
 * The calls there are, in the legacy shapes whichever dialect they are made in. The address and the hash must have
 * been checked. Each throws `NodeRejection` for a request that the node refuses, `NodeFault` for a node that fails,
 * and whatever the transport throws.
 */
export type NodeCalls = {
  /** Every balance of an address. */
  balances(address: string): Promise<LegacyBalances>;
  /** A page of transactions; the query in the words of either dialect (`readSearch`). */
  transactions(query: readonly (readonly [name: string, value: string])[]): Promise<LegacySearch>;
  /** One transaction; `NodeRejection` with 404 when the node does not know it. */
  transaction(hash: string): Promise<LegacyTransaction>;
  /** The account of an address, with what it owns; one that does not exist has an empty `address`. */
  account(address: string): Promise<LegacyAccount>;
  /** The chain's id and the node's versions. */
  nodeInfo(): Promise<LegacyNodeInfo>;
  /** A block by its height; the newest where none is given. */
  block(height?: string): Promise<LegacyBlock>;
  /**
   * A request in the form that this node takes: amino JSON is encoded for a modern one. `NodeRejection` with 422 for
   * what it has no form for. Nothing is sent, but a modern node is asked who signs.
   *
   * @param sequence of the one signer, where it is known better than by the account as of the last block
   */
  prepare(request: BroadcastRequest, sequence?: string): Promise<BroadcastRequest>;
  /**
   * Sends a transaction. One that the chain refuses comes back with its `code`. On a modern node `block` goes out as
   * `sync`, and `untilInBlock` does the rest. What the node does not take is a `NodeRejection` with 422, and nothing is
   * sent.
   */
  broadcast(request: BroadcastRequest): Promise<LegacyTransaction>;
  /** The height of the newest block that the node has. */
  latestHeight(): Promise<number>;
  /** The same, and the id of its chain, where it tells it. */
  head(): Promise<{ height: number; chainId: string | undefined }>;
};

/** What a modern node was found to support: where it takes the conditions of a search. */
export type NodeCapabilities = { conditionsIn?: 'query' | 'events' };
