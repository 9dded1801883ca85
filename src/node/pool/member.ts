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

/** Converts failures to `UpstreamFailure`. A transaction that the node rejected counts as not sent. */
export function toFailure(error: unknown, sent: boolean, node: string): unknown {
  if (error instanceof UpstreamFailure) {
    if (sent && error.reason !== 'rate_limited') return error;
    const { retryAfter, reason, upstream, message, cause } = error;
    const said = message.slice(`${upstream}: `.length);
    return new UpstreamFailure(node, reason, said, { cause, retryAfter, sent: false });
  }
  if (!(error instanceof NodeFault)) return error;
  const isTaken = sent && error.kind !== 'rate_limited' && error.kind !== 'wrong_dialect';
  return new UpstreamFailure(node, REASONS[error.kind], error.message.slice(0, 500), { cause: error, sent: isTaken });
}

/** Failures that concern the node even if the client chose how much to request. */
const OF_THE_NODE: ReadonlySet<FailureCause> = new Set(['unreachable', 'rate_limited', 'resting']);
/** Never concerns the node, because another node would return as much data. */
const OF_THE_QUESTION: FailureCause = 'too_large';

/** Whether a failure concerns the node. `isOpenEnded` means that the client chose how much to request. */
export const isOfNode = (reason: FailureCause, isOpenEnded: boolean): boolean =>
  reason !== OF_THE_QUESTION && (!isOpenEnded || OF_THE_NODE.has(reason));

export function createMember(source: NodeSource, index: number, dialect: NodeDialect | undefined) {
  return {
    /** The node's position among the URLs, from 1, for the log and warnings. */
    number: index + 1,
    source,
    dialect,
    capabilities: {},
    /** The height of the node's newest block at the last check; undefined if the check failed. */
    height: undefined as number | undefined,
    /** The chain that the node reported; null if it reported none; undefined before it has responded. */
    chainId: undefined as string | null | undefined,
    /** The failure of the node's last call, if it failed. */
    failure: undefined as UpstreamFailure | undefined,
  };
}

export const nameOf = ({ number }: Pick<Member, 'number'>): string => `node-${number}`;

export type Member = ReturnType<typeof createMember>;

/** Without a configured `chainId`, the wanted chain is the one that the first node to report a chain is on. */
export function createWantedChain(members: readonly Member[], chainId: string | undefined) {
  /** A single node without a configured chain has nothing to compare with. */
  const areCompared = members.length > 1 || chainId !== undefined;

  const wanted = (): string | undefined =>
    chainId ?? members.find((member) => typeof member.chainId === 'string')?.chainId ?? undefined;

  /** If a chain is configured, a node that reports no chain counts as being on another chain. */
  function isOther(reported: string | null): boolean {
    return reported === null ? chainId !== undefined : reported !== (wanted() ?? reported);
  }

  const isLeftOut = (member: Member): boolean => areCompared && member.chainId !== undefined && isOther(member.chainId);

  return {
    areCompared,
    wanted,
    isLeftOut,
    /** Nodes that are not known to be on another chain. */
    members: () => members.filter((member) => !isLeftOut(member)),
    /** No node is on the wanted chain, so no part of the call has been sent. */
    failure: () => new UpstreamFailure('node', 'not_listed', 'no node is on the expected chain', { sent: false }),

    /** Throws `NodeFault` for another chain. */
    check(reported: string): void {
      if (areCompared && isOther(reported)) throw new NodeFault('malformed', 'the response is from another chain');
    },
  };
}

export type WantedChain = ReturnType<typeof createWantedChain>;
