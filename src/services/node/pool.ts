import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, SECOND } from '#domain/clock';
import { createAdapter, detectDialect, type NodeCalls, type NodeDialect } from '#domain/cosmos/adapter';
import { type AskNode, isUpToCaller, NodeFault } from '#domain/cosmos/exchange';
import type { Log } from '#domain/log';
import { type FailureCause, UpstreamFailure } from '#domain/upstream/failure';
import type { Warning } from '#domain/upstream/warning';
import type { NodeSource } from '#sources/node/node';
import { isOfNode, toFailure } from './failure.ts';
import { createMember, type Member } from './member.ts';

/** How often each node is asked for its newest block, while there are calls, in ms. */
const CHECK_EVERY = 10 * SECOND;
/** A node this many blocks behind the best is not asked while others can be. */
const MOST_BEHIND = 50;
/** The part of an answer's time that the first callers wait for the nodes to tell their heights. */
const PATIENCE = 0.25;
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
};

/** The nodes: which dialect each speaks, which block each has reached, and which are asked first. */
export function createNodePool({ sources, dialect, chainId, timeoutMs, clock, log }: Options) {
  const configured = dialect === 'auto' ? undefined : dialect;
  const members = sources.map((source, index) => createMember(source, index, configured));
  /** Nothing is believed of a node before it has told its chain, but where there is no other to be told from. */
  const areCompared = members.length > 1 || chainId !== undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let firstCheck: Promise<unknown> | undefined;

  const wantedChain = (): string | undefined =>
    chainId ?? members.find((member) => typeof member.chainId === 'string')?.chainId ?? undefined;

  /** Whether a chain that was told is not the wanted one; one that tells no chain is only known by its place. */
  function isOther(told: string | null): boolean {
    return told === null ? chainId !== undefined : told !== (wantedChain() ?? told);
  }
  const isLeftOut = (member: Member): boolean =>
    areCompared && member.chainId !== undefined && isOther(member.chainId);

  const ofAnotherChain = () =>
    new UpstreamFailure('node', 'not_listed', 'no node of the wanted chain is there', { sent: false });

  /** Asks a node for its newest block, which tells its chain too. */
  async function readHead(member: Member, calls: NodeCalls): Promise<number> {
    const head = await calls.head();
    const [before, told] = [member.chainId, head.chainId ?? null];
    member.chainId = told;
    if (before !== told && isLeftOut(member)) {
      log.warn({ node: member.number, chainId: told, wanted: wantedChain() }, 'a node is of another chain');
    }
    return head.height;
  }

  /** Finds out which dialect a node speaks; when that fails, nothing of the call has been sent. */
  async function dialectOf(member: Member, ask: AskNode): Promise<NodeDialect> {
    try {
      const found = await detectDialect(ask);
      if (member.dialect !== found) log.info({ node: member.number, dialect: found }, 'a node speaks');
      member.dialect = found;
      return found;
    } catch (error) {
      throw toFailure(error, false);
    }
  }

  /** Hears from a node of which chain it is, before it is believed anything; nothing of the call has been sent. */
  async function introduce(member: Member, calls: NodeCalls): Promise<void> {
    try {
      await readHead(member, calls);
    } catch (error) {
      throw error instanceof NodeFault && error.kind === 'wrong_dialect' ? error : toFailure(error, false);
    }
    if (isLeftOut(member)) throw ofAnotherChain();
  }

  /** Makes a call in the node's dialect, which is found out again where the node does not know the path any more. */
  async function attempt<T>(member: Member, ask: AskNode, use: (calls: NodeCalls) => Promise<T>): Promise<T> {
    const known = member.dialect;
    const spoken = known ?? (await dialectOf(member, ask));
    const callIn = async (dialect: NodeDialect) => {
      const calls = createAdapter(dialect, ask, member.capabilities);
      if (areCompared && member.chainId === undefined) await introduce(member, calls);
      return use(calls);
    };
    try {
      return await callIn(spoken);
    } catch (error) {
      const mayHaveChanged = known && !configured && error instanceof NodeFault;
      if (!mayHaveChanged || error.kind !== 'wrong_dialect') throw error;
      const now = await dialectOf(member, ask);
      if (now === spoken) throw error;
      return callIn(now);
    }
  }

  /**
   * One attempt at one node, until an instant of the monotonic clock.
   *
   * @param sends whether what a broadcast sends may have arrived when it fails
   */
  async function call<T>(
    member: Member,
    until: number,
    use: (calls: NodeCalls) => Promise<T>,
    sends = true,
  ): Promise<T> {
    let isOpenEnded = false;
    const ask: AskNode = (question) => {
      isOpenEnded = isUpToCaller(question);
      const left = until - clock.elapsed();
      if (left > 0) return member.source.ask(question, left);
      throw new UpstreamFailure('node', 'timeout', 'no time is left for it', { sent: false });
    };
    try {
      const value = await attempt(member, ask, use);
      member.failure = undefined;
      return value;
    } catch (error) {
      const failure = toFailure(error, sends);
      if (failure instanceof UpstreamFailure) {
        const { reason, message } = failure;
        if (!isOfNode(reason, isOpenEnded)) throw failure;
        if (member.failure?.reason !== reason)
          log.warn({ node: member.number, reason, message }, 'a node failed');
        member.failure = failure;
      } else member.failure = undefined;
      throw failure;
    }
  }

  async function check(member: Member): Promise<void> {
    try {
      const until = clock.elapsed() + timeoutMs;
      member.height = await call(member, until, (calls) => readHead(member, calls));
    } catch {
      member.height = undefined;
    }
  }

  /** Asks for the heights when it is time. Only the first callers wait for them, and not for long. */
  async function checkHeights(): Promise<void> {
    if (clock.elapsed() - checkedAt >= CHECK_EVERY) {
      checkedAt = clock.elapsed();
      const checks = Promise.all(members.map(check));
      firstCheck ??= Promise.race([checks, wait(timeoutMs * PATIENCE, undefined, { ref: false })]);
    }
    await firstCheck;
  }

  const ofChain = () => members.filter((member) => !isLeftOut(member));
  const behind = ({ height }: Member) =>
    height === undefined ? 0 : Math.max(...ofChain().map((one) => one.height ?? 0)) - height;

  /** The nodes to ask, in order: those that failed, or whose height is not known, come last. */
  async function candidates(): Promise<Member[]> {
    if (areCompared) await checkHeights();
    const among = ofChain();
    if (among.length === 0) throw ofAnotherChain();
    const near = among.filter((member) => behind(member) <= MOST_BEHIND);
    const isSound = ({ height, failure }: Member) => height !== undefined && failure === undefined;
    const [sound, rest] = [near.filter(isSound), near.filter((member) => !isSound(member))];
    // The highest may answer nothing but its height: while none is sound, those far behind are asked too.
    return [
      ...sound,
      ...rest,
      ...(sound.length === 0 ? among.filter((member) => !near.includes(member)) : []),
    ];
  }

  return {
    size: members.length,
    candidates,
    call,

    /** Throws `NodeFault` for a chain that is told and is not the wanted one. */
    checkChain(told: string): void {
      if (areCompared && isOther(told)) throw new NodeFault('malformed', 'the answer is of another chain');
    },

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
        if (isLeftOut(member)) return [{ ...node, otherChain: member.chainId ?? null }];
        if (member.failure) return [{ ...node, cause: member.failure.reason }];
        return behind(member) > MOST_BEHIND ? [{ ...node, blocksBehind: behind(member) }] : [];
      });
    },
  };
}

export type NodePool = ReturnType<typeof createNodePool>;
