/*
 * Types of REST requests to a Cosmos SDK node. They are independent of the transport: the service uses its own
 * connections, and the client uses `fetch`. This folder imports nothing from other folders, and requires only a browser
 * or Node 18.
 */

/** The parameters of a query. A name may be repeated. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** `path` is encoded and relative to the base URL. A POST has a JSON body. */
export type NodeRequest = {
  method: 'GET' | 'POST';
  path: string;
  query: Pairs;
  body?: unknown;
};

export type NodeReply = {
  status: number;
  /** The parsed JSON; undefined for invalid JSON. */
  body: unknown;
  /** The header `grpc-metadata-x-cosmos-block-height`, if the transport can read it. The header saves a request. */
  blockHeight?: string | undefined;
};

/** Sends a request to one node. Throws a transport error if there is no response. */
export type SendToNode = (request: NodeRequest) => Promise<NodeReply>;

/** The node rejected the request. Every other node would reject it, too. `message` is the node's message. */
export class NodeRejection extends Error {
  override readonly name = 'NodeRejection';
  readonly status: 400 | 404 | 422;
  readonly parameter: string | undefined;
  /** Whether the message may concern the node's state instead of the request, so that another node may accept it. */
  readonly isDoubtful: boolean;

  constructor(
    status: 400 | 404 | 422,
    message: string,
    { parameter, isDoubtful = false }: { parameter?: string | undefined; isDoubtful?: boolean } = {},
  ) {
    super(message);
    this.status = status;
    this.parameter = parameter;
    this.isDoubtful = isDoubtful;
  }
}

/**
 * - `malformed`: the response has an unexpected shape
 * - `unavailable`: the node cannot serve requests now, or does not serve this operator
 * - `not_ready`: as `unavailable`, and the node certainly has not accepted a transaction
 * - `rate_limited`: the node rejected the request because of its rate limit
 * - `too_large`: the response exceeds the limit
 * - `wrong_dialect`: the node does not know the path, so it uses the other dialect
 */
export type NodeFaultKind = 'malformed' | 'unavailable' | 'not_ready' | 'rate_limited' | 'too_large' | 'wrong_dialect';

/** A failure of the node. Another node may succeed. */
export class NodeFault extends Error {
  override readonly name = 'NodeFault';
  readonly kind: NodeFaultKind;

  constructor(kind: NodeFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Fills a template such as `https://explorer.example/tx/{hash}` with an encoded value. */
export function explorerLink(template: string, name: 'hash' | 'address', value: string): string {
  return template.replaceAll(`{${name}}`, () => encodeURIComponent(value));
}
