/*
 * What passes between a caller and a Cosmos SDK node over REST, whoever carries it: the service over its own
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

/** What came. */
export type NodeReply = {
  status: number;
  /** The body parsed as JSON; undefined when it was none. */
  body: unknown;
  /** The response header `grpc-metadata-x-cosmos-block-height`, where the carrier can see it: it spares a call. */
  blockHeight?: string | undefined;
};

/** Asks one node; throws the carrier's own error when there is no answer at all. */
export type AskNode = (question: NodeQuestion) => Promise<NodeReply>;

/**
 * The node understood the request and refuses it: another node would, too. `message` is what it said (or what it
 * would have said, where it is plain before anything is sent).
 */
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
 * - `nonsense`: an answer, but none that such a node gives
 * - `trouble`: the node tells that it cannot do its work now, or not for us
 * - `rate_limited`: it asks to be left alone for a while
 * - `wrong_dialect`: it does not know the path, so it speaks the other dialect
 */
export type NodeFaultKind = 'nonsense' | 'trouble' | 'rate_limited' | 'wrong_dialect';

/** The fault is the node's and not the request's: another node may do better. */
export class NodeFault extends Error {
  override readonly name = 'NodeFault';
  readonly kind: NodeFaultKind;

  constructor(kind: NodeFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
