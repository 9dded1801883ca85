import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import { traced } from '#core/tracing';
import { detectDialect, type NodeCalls, type NodeCapabilities, type NodeDialect } from '#cosmos/dialects/adapter';
import { NodeFault, type SendToNode } from '#cosmos/exchange';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import type { FailureLog } from '#upstream/failures/failure-log';
import type { Member, WantedChain } from './member.ts';
import { toFailure } from './problem.ts';
import { isUpToCaller, type PassedReply, type PassedRequest } from './source.ts';

/** Failures that count against the node even if the client chose how much to request. */
const OF_THE_NODE: ReadonlySet<FailureCause> = new Set(['unreachable', 'rate_limited', 'resting']);
/** A failure that never counts against the node, because another node would return as much data. */
const OF_THE_QUESTION: FailureCause = 'too_large';

/** Whether a failure counts against the node. `isOpenEnded` means that the client chose how much to request. */
const isOfNode = (reason: FailureCause, isOpenEnded: boolean): boolean =>
  reason !== OF_THE_QUESTION && (!isOpenEnded || OF_THE_NODE.has(reason));

/** The calls in a node's dialect. All have the newest block, which also contains the chain. */
export type PoolCalls = Pick<NodeCalls, 'head'>;
export type OpenCalls<Calls> = (dialect: NodeDialect, send: SendToNode, capabilities: NodeCapabilities) => Calls;
export type UseNode<Calls, T> = (calls: Calls) => Promise<T>;

/** A node's turn to respond. */
export type Turn = {
  member: Member;
  /** The end of the turn, in monotonic ms. */
  until: number;
  /** False if a failed call cannot have been received, unlike a broadcast. */
  sends?: boolean;
  /** Cancels the call, which does not count as a failure of the node. */
  signal?: AbortSignal | undefined;
  /** Set by the call: whether the client has chosen how much the node must do. */
  isOpenEnded?: boolean;
};

export type Calling<Calls = PoolCalls> = {
  chain: WantedChain;
  open: OpenCalls<Calls>;
  /** The configured dialect of all nodes. If undefined, each node's dialect is detected. */
  configured: NodeDialect | undefined;
  clock: Clock;
  log: Log;
  failures: Pick<FailureLog, 'failed'>;
};

/** Requests the newest block, and records the chain and the version that the node reports. Returns the height. */
export async function readHead({ chain, log }: Calling, member: Member, calls: PoolCalls): Promise<number> {
  const head = await calls.head();
  const { chainId, version } = member;
  member.chainId = head.chainId ?? null;
  member.version = head.version;
  if (chainId !== member.chainId && chain.isOnOther(member)) {
    log.warn({ node: member.label, chainId: member.chainId, wanted: chain.wanted() }, 'node on another chain');
  } else if (version !== member.version && chain.isLeftOut(member)) {
    log.warn({ node: member.label, version: member.version, wanted: chain.version() }, 'node of another version');
  }
  return head.height;
}

/** Detects the node's dialect. If the detection fails, no part of the call has been sent. */
async function dialectOf({ log }: Calling, member: Member, send: SendToNode): Promise<NodeDialect> {
  try {
    const found = await detectDialect(send);
    if (member.dialect !== found) log.info({ node: member.label, dialect: found }, 'node dialect detected');
    member.dialect = found;
    return found;
  } catch (error) {
    throw toFailure(error, false, member.name);
  }
}

/** Requests the node's chain before the node is used. If the request fails, no part of the call has been sent. */
async function introduce(by: Calling, member: Member, calls: PoolCalls): Promise<void> {
  try {
    await readHead(by, member, calls);
  } catch (error) {
    throw error instanceof NodeFault && error.kind === 'wrong_dialect' ? error : toFailure(error, false, member.name);
  }
  if (by.chain.isLeftOut(member)) throw by.chain.failure();
}

/** If the node does not recognize the path, detects its dialect again and repeats the call. */
async function attempt<Calls extends PoolCalls, T>(
  by: Calling<Calls>,
  member: Member,
  send: SendToNode,
  use: UseNode<Calls, T>,
): Promise<T> {
  const { chain, open, configured } = by;
  const known = member.dialect;
  const spoken = known ?? (await dialectOf(by, member, send));
  const callIn = async (dialect: NodeDialect) => {
    const calls = open(dialect, send, member.capabilities);
    if (chain.areCompared && member.chainId === undefined) await introduce(by, member, calls);
    return use(calls);
  };
  try {
    return await callIn(spoken);
  } catch (error) {
    const mayHaveChanged = known && !configured && error instanceof NodeFault;
    if (!mayHaveChanged || error.kind !== 'wrong_dialect') throw error;
    const now = await dialectOf(by, member, send);
    if (now === spoken) throw error;
    return callIn(now);
  }
}

function timeLeft({ clock }: Calling, { member, until }: Turn): number {
  const left = until - clock.elapsed();
  if (left > 0) return left;
  throw new UpstreamFailure(member.name, 'timeout', 'no time is left', { sent: false });
}

/** Records the outcome of a turn as the state of its node. */
async function recorded<T>({ failures }: Calling, turn: Turn, work: () => Promise<T>): Promise<T> {
  const { member, signal, sends = true } = turn;
  try {
    const value = await traced('node call', member.attributes, work);
    member.failure = undefined;
    return value;
  } catch (error) {
    signal?.throwIfAborted();
    const failure = toFailure(error, sends, member.name);
    if (failure instanceof UpstreamFailure) {
      if (!isOfNode(failure.reason, turn.isOpenEnded === true)) throw failure;
      failures.failed('node call', failure);
      member.failure = failure;
    } else member.failure = undefined;
    throw failure;
  }
}

const sendIn =
  (by: Calling, turn: Turn): SendToNode =>
  (question) => {
    turn.isOpenEnded = isUpToCaller(question);
    return turn.member.source.send(question, timeLeft(by, turn), turn.signal);
  };

/** Calls a node in its dialect. */
export const callMember = <Calls extends PoolCalls, T>(by: Calling<Calls>, turn: Turn, use: UseNode<Calls, T>) =>
  recorded(by, turn, () => attempt(by, turn.member, sendIn(by, turn), use));

/** Passes a request to a node as it is. A node whose dialect and chain are known needs no call before. */
export function passToMember<T>(
  by: Calling,
  turn: Turn,
  request: PassedRequest,
  accept: (reply: PassedReply) => T,
): Promise<T> {
  const { member, signal } = turn;
  const pass = () => {
    turn.isOpenEnded = true;
    return member.source.pass(request, timeLeft(by, turn), signal).then(accept);
  };
  const isIntroduced = member.dialect !== undefined && (!by.chain.areCompared || member.chainId !== undefined);
  return recorded(by, turn, () => (isIntroduced ? pass() : attempt(by, member, sendIn(by, turn), pass)));
}
