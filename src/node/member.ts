import type { NodeCapabilities, NodeDialect } from '#cosmos/dialects/adapter';
import { NodeFault } from '#cosmos/exchange';
import { UpstreamFailure } from '#upstream/failures/failure';
import type { NodeSource } from './source.ts';

/** A node, and the function that counts the parts of its responses that are omitted because they are malformed. */
export type PoolSource = NodeSource & Pick<NodeCapabilities, 'reportOmitted'>;

export type Member = {
  /** The node's position among the URLs, from 1. */
  number: number;
  /** The position for the log and warnings, which also distinguishes the nodes in the list of RPC URLs. */
  label: number | `rpc-${number}`;
  name: string;
  attributes: { 'quotient.source': string };
  source: PoolSource;
  dialect: NodeDialect | undefined;
  capabilities: NodeCapabilities;
  /** The height of the newest block at the last check. Undefined if the check failed. */
  height?: number | undefined;
  /** The chain that the node reported. Null if it reported none, and undefined before its first response. */
  chainId?: string | null;
  /** The major version that the node reported, if its interface reports one. */
  version?: string | undefined;
  /** The failure of the node's last call. Undefined if the call succeeded. */
  failure?: UpstreamFailure | undefined;
};

export function createMember(
  source: PoolSource,
  index: number,
  dialect: NodeDialect | undefined,
  list: '' | 'rpc-',
): Member {
  const number = index + 1;
  const label = list === '' ? number : (`rpc-${number}` as const);
  const name = `node-${label}`;
  const capabilities = { ...(source.reportOmitted && { reportOmitted: source.reportOmitted }) };
  return { number, label, name, attributes: { 'quotient.source': name }, source, dialect, capabilities };
}

/** Without a configured `chainId`, the wanted chain is that of the first node that reports a chain. */
export function createWantedChain(members: readonly Member[], chainId: string | undefined) {
  /** A single node without a configured chain has nothing to compare with. */
  const areCompared = members.length > 1 || chainId !== undefined;

  const wanted = (): string | undefined =>
    chainId ?? members.find((member) => typeof member.chainId === 'string')?.chainId ?? undefined;

  /** If a chain is configured, a node that reports no chain counts as being on another chain. */
  function isOther(reported: string | null): boolean {
    return reported === null ? chainId !== undefined : reported !== (wanted() ?? reported);
  }

  const isOnOther = (member: Member): boolean => areCompared && member.chainId !== undefined && isOther(member.chainId);

  /** Clients decode responses by the version that they read first, so a pool has the version of its first node. */
  const version = (): string | undefined =>
    members.find((member) => member.version !== undefined && !isOnOther(member))?.version;
  const hasOtherVersion = (member: Member): boolean => areCompared && (member.version ?? version()) !== version();

  const isLeftOut = (member: Member): boolean => isOnOther(member) || hasOtherVersion(member);

  return {
    areCompared,
    wanted,
    version,
    isOnOther,
    isLeftOut,
    /** Nodes that are not known to be on another chain or to have another version. */
    members: () => members.filter((member) => !isLeftOut(member)),
    /** No part of the call has been sent yet. */
    failure: () => new UpstreamFailure('node', 'not_listed', 'no node is on the expected chain', { sent: false }),

    /** Throws `NodeFault` for another chain. */
    check(reported: string): void {
      if (areCompared && isOther(reported)) throw new NodeFault('malformed', 'the response is from another chain');
    },
  };
}

export type WantedChain = ReturnType<typeof createWantedChain>;
