import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, SECOND } from '#core/clock';
import type { Log } from '#core/log';
import type { NodeCalls, NodeDialect } from '#cosmos/dialects/adapter';
import { type FailureCause, UpstreamFailure } from '#upstream/failure';
import type { FailureLog } from '#upstream/failure-log';
import type { Warning } from '#upstream/freshness';
import { createMember, createMemberCall, createWantedChain, type Member } from './member.ts';
import { notConfigured } from './problem.ts';
import type { NodeSource } from './source.ts';

/** How often each node's newest block is requested while calls arrive, in ms. */
const CHECK_EVERY = 10 * SECOND;
/** A node that is further behind the best node, in blocks, is used only if no other node is usable. */
const MOST_BEHIND = 50;
/** How long the first callers wait for the nodes' heights, as a share of the deadline. */
const PATIENCE = 0.25;
/** How many times all nodes are tried if the last failure was transient. Otherwise, each node is tried once. */
const ROUNDS = 2;
const IN_PASSING: ReadonlySet<FailureCause> = new Set(['unreachable', 'server_error']);

type Options = {
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

/** Reads from any node. If a node fails, tries the next node. */
export function createNodePool({ sources, dialect, chainId, timeoutMs, clock, log, failures }: Options) {
  const configured = dialect === 'auto' ? undefined : dialect;
  const members = sources.map((source, index) => createMember(source, index, configured));
  const chain = createWantedChain(members, chainId);
  const { call, readHead } = createMemberCall({ chain, configured, clock, log, failures });
  let checkedAt = Number.NEGATIVE_INFINITY;
  let firstCheck: Promise<unknown> | undefined;

  async function check(member: Member): Promise<void> {
    try {
      const until = clock.elapsed() + timeoutMs;
      member.height = await call(member, until, (calls) => readHead(member, calls));
    } catch {
      member.height = undefined;
    }
  }

  /** Refreshes the heights when they are due. Only the first callers wait, for a limited time. */
  async function checkHeights(): Promise<void> {
    if (clock.elapsed() - checkedAt >= CHECK_EVERY) {
      checkedAt = clock.elapsed();
      const checks = Promise.all(members.map(check));
      firstCheck ??= Promise.race([checks, wait(timeoutMs * PATIENCE, undefined, { ref: false })]);
    }
    await firstCheck;
  }

  /** How many blocks a node is behind the best node, if this lag excludes the node. Otherwise, undefined. */
  function lag({ height }: Member): number | undefined {
    if (height === undefined) return undefined;
    const blocks = Math.max(...chain.members().map((one) => one.height ?? 0)) - height;
    return blocks > MOST_BEHIND ? blocks : undefined;
  }

  /** Nodes that failed or have no known height come last. */
  async function candidates(): Promise<Member[]> {
    if (members.length === 0) throw notConfigured();
    if (chain.areCompared) await checkHeights();
    const among = chain.members();
    if (among.length === 0) throw chain.failure();
    const near = among.filter((member) => lag(member) === undefined);
    const isSound = ({ height, failure }: Member) => height !== undefined && failure === undefined;
    const [sound, rest] = [near.filter(isSound), near.filter((member) => !isSound(member))];
    // The best node may fail all other calls. While no node is healthy, nodes that are far behind are tried too.
    return [...sound, ...rest, ...(sound.length === 0 ? among.filter((member) => !near.includes(member)) : [])];
  }

  return {
    candidates,
    call,
    checkChain: chain.check,

    /** Shares the time among the nodes. Throws `NodeRejection`, or the last `UpstreamFailure`. */
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
