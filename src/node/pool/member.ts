import type { NodeDialect } from '#cosmos/dialects/adapter';
import { NodeFault, type NodeFaultKind } from '#cosmos/exchange';
import type { NodeSource } from '#node/source';
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

/** One of the nodes, and what it was last known to be. */
export function createMember(source: NodeSource, index: number, dialect: NodeDialect | undefined) {
  return {
    /** As the log and the warnings name it: its place among the URLs, from 1. */
    number: index + 1,
    source,
    dialect,
    capabilities: {},
    /** Of its newest block, as of the last check; undefined when that failed. */
    height: undefined as number | undefined,
    /** Of which chain it has told that it is; null when it told none. */
    chainId: undefined as string | null | undefined,
    /** Why its last call failed. */
    failure: undefined as UpstreamFailure | undefined,
  };
}

/** A node's name in logs and metrics. */
export const nameOf = ({ number }: Pick<Member, 'number'>): string => `node-${number}`;

export type Member = ReturnType<typeof createMember>;

/**
 * Which chain the nodes must be of.
 *
 * @param chainId the configured one; that of the first node which has told its own where it is left out
 */
export function createWantedChain(members: readonly Member[], chainId: string | undefined) {
  /** Nothing is believed of a node before it has told its chain, but where there is no other to be told from. */
  const areCompared = members.length > 1 || chainId !== undefined;

  const wanted = (): string | undefined =>
    chainId ?? members.find((member) => typeof member.chainId === 'string')?.chainId ?? undefined;

  /** Whether a chain that was told is not the wanted one; one that tells no chain is only known by its place. */
  function isOther(told: string | null): boolean {
    return told === null ? chainId !== undefined : told !== (wanted() ?? told);
  }

  const isLeftOut = (member: Member): boolean => areCompared && member.chainId !== undefined && isOther(member.chainId);

  return {
    areCompared,
    wanted,
    isLeftOut,

    /** The nodes that are not known to be of another chain. */
    members: () => members.filter((member) => !isLeftOut(member)),

    /** That no node is of the chain; nothing of the call has been sent. */
    failure: () => new UpstreamFailure('node', 'not_listed', 'no node of the wanted chain is there', { sent: false }),

    /** Throws `NodeFault` for a chain that is told and is not the wanted one. */
    check(told: string): void {
      if (areCompared && isOther(told)) throw new NodeFault('malformed', 'the answer is of another chain');
    },
  };
}

export type WantedChain = ReturnType<typeof createWantedChain>;
