import { NodeFault, type NodeFaultKind } from '#cosmos/exchange';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';

const REASONS: Record<NodeFaultKind, FailureCause> = {
  malformed: 'unexpected',
  unavailable: 'server_error',
  rate_limited: 'rate_limited',
  too_large: 'too_large',
  wrong_dialect: 'unexpected',
};

/** Every failure of a node, by its name, as an `UpstreamFailure`; what the node refused to take counts as not sent. */
export function toFailure(error: unknown, sent: boolean, node: string): unknown {
  if (error instanceof UpstreamFailure) {
    if (sent && error.reason !== 'rate_limited') return error;
    const { retryAfter, reason, upstream, message, cause } = error;
    const said = message.slice(`${upstream}: `.length);
    return new UpstreamFailure(node, reason, said, { cause, retryAfter, sent: false });
  }
  if (!(error instanceof NodeFault)) return error;
  const isTaken = sent && error.kind !== 'rate_limited' && error.kind !== 'wrong_dialect';
  return new UpstreamFailure(node, REASONS[error.kind], error.message.slice(0, 500), {
    cause: error,
    sent: isTaken,
  });
}

/** The failures that are the node's even where the caller chose how much to ask for. */
const OF_THE_NODE: ReadonlySet<FailureCause> = new Set(['unreachable', 'rate_limited', 'resting']);
/** The failure that is never the node's: another one would answer as much. */
const OF_THE_QUESTION: FailureCause = 'too_large';

/** Whether a failure says something of the node; `isOpenEnded`: the caller chose how much to ask for. */
export const isOfNode = (reason: FailureCause, isOpenEnded: boolean): boolean =>
  reason !== OF_THE_QUESTION && (!isOpenEnded || OF_THE_NODE.has(reason));
