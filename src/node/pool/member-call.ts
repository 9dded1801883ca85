import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import { createAdapter, detectDialect, type NodeCalls, type NodeDialect } from '#cosmos/dialects/adapter';
import { isUpToCaller, NodeFault, type SendToNode } from '#cosmos/exchange';
import { UpstreamFailure } from '#upstream/failure';
import type { FailureLog } from '#upstream/failure-log';
import { isOfNode, type Member, nameOf, toFailure, type WantedChain } from './member.ts';

type Options = {
  chain: WantedChain;
  /** The configured dialect of all nodes; undefined to detect it per node. */
  configured: NodeDialect | undefined;
  clock: Clock;
  log: Log;
  failures: Pick<FailureLog, 'failed'>;
};

/** Calls one node in its dialect after its chain is known, and records the node's last failure. */
export function createMemberCall({ chain, configured, clock, log, failures }: Options) {
  /** The newest block also states the chain. */
  async function readHead(member: Member, calls: NodeCalls): Promise<number> {
    const head = await calls.head();
    const [before, reported] = [member.chainId, head.chainId ?? null];
    member.chainId = reported;
    if (before !== reported && chain.isLeftOut(member)) {
      log.warn({ node: member.number, chainId: reported, wanted: chain.wanted() }, 'node on another chain');
    }
    return head.height;
  }

  /** Detects the node's dialect. If the detection fails, no part of the call has been sent. */
  async function dialectOf(member: Member, send: SendToNode): Promise<NodeDialect> {
    try {
      const found = await detectDialect(send);
      if (member.dialect !== found) log.info({ node: member.number, dialect: found }, 'node dialect detected');
      member.dialect = found;
      return found;
    } catch (error) {
      throw toFailure(error, false, nameOf(member));
    }
  }

  /** Requests a node's chain before trusting the node. If the request fails, no part of the call has been sent. */
  async function introduce(member: Member, calls: NodeCalls): Promise<void> {
    try {
      await readHead(member, calls);
    } catch (error) {
      throw error instanceof NodeFault && error.kind === 'wrong_dialect'
        ? error
        : toFailure(error, false, nameOf(member));
    }
    if (chain.isLeftOut(member)) throw chain.failure();
  }

  /** Makes a call in the node's dialect. Detects the dialect again if the node no longer recognizes the path. */
  async function attempt<T>(member: Member, send: SendToNode, use: (calls: NodeCalls) => Promise<T>): Promise<T> {
    const known = member.dialect;
    const spoken = known ?? (await dialectOf(member, send));
    const callIn = async (dialect: NodeDialect) => {
      const calls = createAdapter(dialect, send, member.capabilities);
      if (chain.areCompared && member.chainId === undefined) await introduce(member, calls);
      return use(calls);
    };
    try {
      return await callIn(spoken);
    } catch (error) {
      const mayHaveChanged = known && !configured && error instanceof NodeFault;
      if (!mayHaveChanged || error.kind !== 'wrong_dialect') throw error;
      const now = await dialectOf(member, send);
      if (now === spoken) throw error;
      return callIn(now);
    }
  }

  /** `until` is monotonic, in ms; `sends` states whether a broadcast may have arrived when the call fails. */
  async function call<T>(
    member: Member,
    until: number,
    use: (calls: NodeCalls) => Promise<T>,
    sends = true,
  ): Promise<T> {
    let isOpenEnded = false;
    const send: SendToNode = (question) => {
      isOpenEnded = isUpToCaller(question);
      const left = until - clock.elapsed();
      if (left > 0) return member.source.send(question, left);
      throw new UpstreamFailure(nameOf(member), 'timeout', 'no time is left', { sent: false });
    };
    try {
      const value = await attempt(member, send, use);
      member.failure = undefined;
      return value;
    } catch (error) {
      const failure = toFailure(error, sends, nameOf(member));
      if (failure instanceof UpstreamFailure) {
        if (!isOfNode(failure.reason, isOpenEnded)) throw failure;
        failures.failed('node call', failure);
        member.failure = failure;
      } else member.failure = undefined;
      throw failure;
    }
  }

  return { call, readHead };
}

export type MemberCall = ReturnType<typeof createMemberCall>;
