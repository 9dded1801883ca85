import { NodeFault } from '#cosmos/exchange';
import { UpstreamFailure } from '#upstream/failure';
import type { Member } from './member.ts';

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

  const isLeftOut = (member: Member): boolean =>
    areCompared && member.chainId !== undefined && isOther(member.chainId);

  return {
    areCompared,
    wanted,
    isLeftOut,

    /** The nodes that are not known to be of another chain. */
    members: () => members.filter((member) => !isLeftOut(member)),

    /** That no node is of the chain; nothing of the call has been sent. */
    failure: () =>
      new UpstreamFailure('node', 'not_listed', 'no node of the wanted chain is there', { sent: false }),

    /** Throws `NodeFault` for a chain that is told and is not the wanted one. */
    check(told: string): void {
      if (areCompared && isOther(told)) throw new NodeFault('malformed', 'the answer is of another chain');
    },
  };
}

export type WantedChain = ReturnType<typeof createWantedChain>;
