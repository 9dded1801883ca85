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

/** How often all nodes are tried when the last failure was a passing one; otherwise each is asked once. */
const ROUNDS = 2;
const IN_PASSING: ReadonlySet<FailureCause> = new Set(['unreachable', 'server_error']);

type Options = {
  /** In the order in which they are to be tried. */
  sources: readonly NodeSource[];
  dialect: NodeDialect | 'auto';
  /** The chain that is wanted; that of the first node which has told its own where it is left out. */
  chainId?: string | undefined;
  /** The whole deadline of one answer, whichever nodes are tried for it; in ms. */
  timeoutMs: number;
  clock: Clock;
  log: Log;
  failures: Pick<FailureLog, 'failed'>;
};

/** The nodes, any of which answers what is read: when one fails, the next is asked. */
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

    /**
     * What the first node answers that can; no node may use up the time that another still needs. Throws
     * `NodeRejection` when one refuses, and the last `UpstreamFailure` when all fail.
     */
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

    /** What is wrong with which node, as of the last call to it. */
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
