import { invalidRequest, Problem } from '#core/problems';
import { NodeFault, type NodeFaultKind, NodeRejection } from '#cosmos/exchange';
import { type FailureCause, UpstreamFailure, upstreamProblem } from '#upstream/failures/failure';

/** The `Retry-After` while no node is configured, in seconds. */
const UNTIL_CONFIGURED = 3600;
/** The maximum length of a node's message in a problem, in characters. */
const MAX_MESSAGE = 2000;

const REASONS: Record<NodeFaultKind, FailureCause> = {
  malformed: 'unexpected',
  unavailable: 'server_error',
  not_ready: 'server_error',
  rate_limited: 'rate_limited',
  too_large: 'too_large',
  wrong_dialect: 'unexpected',
};

/** After these faults, the node has certainly not accepted the transaction. */
const NOT_ACCEPTED: ReadonlySet<NodeFaultKind> = new Set(['rate_limited', 'wrong_dialect', 'not_ready']);

/** Converts failures to `UpstreamFailure`. If the node has not accepted a transaction, it counts as not sent. */
export function toFailure(error: unknown, sent: boolean, node: string): unknown {
  if (error instanceof UpstreamFailure) {
    if (sent && error.reason !== 'rate_limited') return error;
    const { retryAfter, reason, upstream, message, cause } = error;
    const said = message.slice(`${upstream}: `.length);
    return new UpstreamFailure(node, reason, said, { cause, retryAfter, sent: false });
  }
  if (!(error instanceof NodeFault)) return error;
  const isTaken = sent && !NOT_ACCEPTED.has(error.kind);
  return new UpstreamFailure(node, REASONS[error.kind], error.message.slice(0, 500), { cause: error, sent: isTaken });
}

/** Converts an error from a node or its transport to a problem. Returns any other error unchanged. */
export function nodeProblem(error: unknown): unknown {
  if (error instanceof NodeRejection) {
    const { status, message } = error;
    const said = message.slice(0, MAX_MESSAGE);
    return new Problem('node_rejected', `The node rejected the request: ${said}`, { status, members: { error: said } });
  }
  if (error instanceof UpstreamFailure && error.reason === 'too_large') {
    const detail = 'The response from the node is too large. Request less data. For a search, use a smaller limit.';
    return new Problem('upstream_invalid', detail, { cause: error });
  }
  return upstreamProblem(error, { who: 'The node' });
}

/** Converts an error about a parameter that no node accepts. Returns any other error unchanged. */
export function searchProblem(error: unknown): unknown {
  if (!(error instanceof NodeRejection)) return error;
  const location = error.parameter === undefined ? 'query' : `query.${error.parameter}`;
  return invalidRequest({ location, message: 'is not a supported search condition', fix: error.message });
}

export const notConfigured = (setting: 'NODE_URLS' | 'NODE_RPC_URLS') =>
  new Problem('node_not_configured', `No node is configured because ${setting} is not set.`, {
    retryAfter: UNTIL_CONFIGURED,
  });

/** A transaction was sent, but its outcome is unknown. The client can look it up by its hash, if the hash is known. */
export function unknownOutcome(event: string, txhash: string | undefined, cause?: unknown): Problem {
  const advice = txhash
    ? 'Look up the transaction by txhash before you send it again'
    : 'The transaction hash cannot be computed from amino JSON. Before you send the transaction again, search for it by its sender';
  const members = txhash === undefined ? {} : { txhash };
  return new Problem('upstream_timeout', `${event}. ${advice}.`, { cause, members });
}
