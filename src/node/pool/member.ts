import type { NodeDialect } from '#cosmos/dialects/adapter';
import type { NodeSource } from '#node/sources/node';
import type { UpstreamFailure } from '#upstream/failure';

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
