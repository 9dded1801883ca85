import { invalidRequest, Problem } from '#core/problems';
import { NodeRejection } from '#cosmos/exchange';
import { UpstreamFailure, upstreamProblem } from '#upstream/failures/failure';

/** The `Retry-After` while no node is configured, in seconds. */
const UNTIL_CONFIGURED = 3600;
/** The maximum length of a node's message in a problem, in characters. */
const MAX_MESSAGE = 2000;

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
