/*
 * The exchange with a Cosmos SDK node by REST, independent of the transport: the service uses its own connections, the
 * client uses `fetch`. This folder imports nothing from outside and requires only a browser or Node 18.
 */

/** `path` is below the base URL, and encoded. A POST has a JSON body. */
export type NodeRequest = {
  method: 'GET' | 'POST';
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  body?: unknown;
};

/** Whether the caller determines the duration: only searches and further pages have a query. */
export const isUpToCaller = ({ method, query }: NodeRequest): boolean => method === 'GET' && query.length > 0;

export type NodeReply = {
  status: number;
  /** Parsed JSON; undefined for anything else. */
  body: unknown;
  /** The header `grpc-metadata-x-cosmos-block-height`, if the transport can read it: it saves a request. */
  blockHeight?: string | undefined;
};

/** Sends a request to one node. Throws the transport's own error if there is no answer. */
export type SendToNode = (question: NodeRequest) => Promise<NodeReply>;

/** The node rejects the request, and so would any other node. `message` is the node's. */
export class NodeRejection extends Error {
  override readonly name = 'NodeRejection';
  readonly status: 400 | 404 | 422;
  readonly parameter: string | undefined;

  constructor(status: 400 | 404 | 422, message: string, parameter?: string) {
    super(message);
    this.status = status;
    this.parameter = parameter;
  }
}

/**
 * - `malformed`: the answer does not have the shape of a node's
 * - `unavailable`: the node cannot serve requests now, or not ours
 * - `rate_limited`: the node limits our rate
 * - `too_large`: the answer exceeds the limit
 * - `wrong_dialect`: the node does not know the path, so it speaks the other dialect
 */
export type NodeFaultKind = 'malformed' | 'unavailable' | 'rate_limited' | 'too_large' | 'wrong_dialect';

/** A failure of the node: another node may succeed. */
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
