/*
 * What passes between a caller and a Cosmos SDK node over REST, whatever the transport: the service over its own
 * connections, the companion client over `fetch`. Nothing in this folder imports anything from outside it, or needs
 * more than a browser or Node 18 has.
 */

/** What is asked of a node: a path below its base URL (already encoded), a query, and with POST a JSON body. */
export type NodeQuestion = {
  method: 'GET' | 'POST';
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  body?: unknown;
};

/** Whether the caller decides how long the answer takes: searches and further pages, the only calls with a query. */
export const isUpToCaller = ({ method, query }: NodeQuestion): boolean => method === 'GET' && query.length > 0;

/** What came. */
export type NodeReply = {
  status: number;
  /** The body parsed as JSON; undefined when it was none. */
  body: unknown;
  /** The response header `grpc-metadata-x-cosmos-block-height`, where the transport can see it: it spares a call. */
  blockHeight?: string | undefined;
};

/** Asks one node; throws the transport's own error when there is no answer at all. */
export type AskNode = (question: NodeQuestion) => Promise<NodeReply>;

/** The node rejects the request, as another node would. `message` is the node's. */
export class NodeRejection extends Error {
  override readonly name = 'NodeRejection';
  readonly status: 400 | 404 | 422;
  /** The parameter at fault, where that is known. */
  readonly parameter: string | undefined;

  constructor(status: 400 | 404 | 422, message: string, parameter?: string) {
    super(message);
    this.status = status;
    this.parameter = parameter;
  }
}

/**
 * - `malformed`: an answer of another shape than a node's
 * - `unavailable`: the node says that it cannot serve now, or not us
 * - `rate_limited`: it limits our rate
 * - `too_large`: an answer longer than is read
 * - `wrong_dialect`: it does not know the path, so it speaks the other dialect
 */
export type NodeFaultKind = 'malformed' | 'unavailable' | 'rate_limited' | 'too_large' | 'wrong_dialect';

/** The fault is the node's and not the request's: another node may do better. */
export class NodeFault extends Error {
  override readonly name = 'NodeFault';
  readonly kind: NodeFaultKind;

  constructor(kind: NodeFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A link made of a template such as `https://explorer.example/tx/{hash}`: the value cannot leave its place. */
export function explorerLink(template: string, name: 'hash' | 'address', value: string): string {
  return template.replaceAll(`{${name}}`, () => encodeURIComponent(value));
}
