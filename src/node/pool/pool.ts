import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import type { NodeCalls, NodeDialect } from '#cosmos/dialects/adapter';
import type { NodeSource } from '#node/source';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import type { FailureLog } from '#upstream/failure-log';
import type { Warning } from '#upstream/freshness';
import { createMember, createWantedChain, type Member } from './member.ts';
import { createMemberCall } from './member-call.ts';
import { createSelection } from './selection.ts';

/** How many times all nodes are tried if the last failure was transient; otherwise, each node is tried once. */
const ROUNDS = 2;
const IN_PASSING: ReadonlySet<FailureCause> = new Set(['unreachable', 'server_error']);

type Options = {
  /** In the order in which they are tried. */
  sources: readonly NodeSource[];
  dialect: NodeDialect | 'auto';
  /** The default is the chain of the first node that reports one. */
  chainId?: string | undefined;
  /** The deadline for a response, shared by all nodes, in ms. */
  timeoutMs: number;
  clock: Clock;
  log: Log;
  failures: Pick<FailureLog, 'failed'>;
};

/** Reads from any node: when one node fails, the next one is tried. */
export function createNodePool({ sources, dialect, chainId, timeoutMs, clock, log, failures }: Options) {
  const configured = dialect === 'auto' ? undefined : dialect;
  const members = sources.map((source, index) => createMember(source, index, configured));
  const chain = createWantedChain(members, chainId);
  const { call, readHead } = createMemberCall({ chain, configured, clock, log, failures });
  const { candidates, lag } = createSelection({ members, chain, call, readHead, timeoutMs, clock });

  return {
    size: members.length,
    candidates,
    call,
    checkChain: chain.check,

    /** No node can use up the time of the next node. Throws `NodeRejection`, or the last `UpstreamFailure`. */
    async read<T>(use: (calls: NodeCalls) => Promise<T>, until = clock.elapsed() + timeoutMs): Promise<T> {
      const asked = new Set<Member>();
      let failure: unknown;
      let isPassing = true;
      for (let round = 1; ; round++) {
        const chosen = (await candidates()).filter((member) => isPassing || !asked.has(member));
        for (const [index, member] of chosen.entries()) {
          const now = clock.elapsed();
          asked.add(member);
          try {
            return await call(member, now + (until - now) / (chosen.length - index), use);
          } catch (error) {
            if (!(error instanceof UpstreamFailure)) throw error;
            failure = error;
          }
        }
        if (round === ROUNDS || clock.elapsed() >= until) throw failure;
        isPassing = failure instanceof UpstreamFailure && IN_PASSING.has(failure.reason);
      }
    },

    warnings(): Warning[] {
      return members.flatMap((member): Warning[] => {
        const node = { about: 'node', node: member.number } as const;
        if (chain.isLeftOut(member)) return [{ ...node, otherChain: member.chainId ?? null }];
        if (member.failure) return [{ ...node, cause: member.failure.reason }];
        const blocksBehind = lag(member);
        return blocksBehind === undefined ? [] : [{ ...node, blocksBehind }];
      });
    },
  };
}

export type NodePool = ReturnType<typeof createNodePool>;
