import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import { traced } from '#core/tracing';
import { detectDialect, type NodeCalls, type NodeCapabilities, type NodeDialect } from '#cosmos/dialects/adapter';
import { NodeFault, type SendToNode } from '#cosmos/exchange';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import type { FailureLog } from '#upstream/failures/failure-log';
import { toFailure } from './problem.ts';
import { isUpToCaller, type NodeSource, type PassedReply, type PassedRequest } from './source.ts';

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

type WantedChain = ReturnType<typeof createWantedChain>;

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

type CallOptions<Calls> = {
  chain: WantedChain;
  open: OpenCalls<Calls>;
  /** The configured dialect of all nodes. If undefined, each node's dialect is detected. */
  configured: NodeDialect | undefined;
  clock: Clock;
  log: Log;
  failures: Pick<FailureLog, 'failed'>;
};

/** Calls one node in its dialect once its chain is known. Records the node's last failure. */
export function createMemberCall<Calls extends PoolCalls>(options: CallOptions<Calls>) {
  const { chain, open, configured, clock, log, failures } = options;

  async function readHead(member: Member, calls: PoolCalls): Promise<number> {
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
  async function dialectOf(member: Member, send: SendToNode): Promise<NodeDialect> {
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
  async function introduce(member: Member, calls: PoolCalls): Promise<void> {
    try {
      await readHead(member, calls);
    } catch (error) {
      throw error instanceof NodeFault && error.kind === 'wrong_dialect' ? error : toFailure(error, false, member.name);
    }
    if (chain.isLeftOut(member)) throw chain.failure();
  }

  /** If the node does not recognize the path, detects its dialect again and repeats the call. */
  async function attempt<T>(member: Member, send: SendToNode, use: (calls: Calls) => Promise<T>): Promise<T> {
    const known = member.dialect;
    const spoken = known ?? (await dialectOf(member, send));
    const callIn = async (dialect: NodeDialect) => {
      const calls = open(dialect, send, member.capabilities);
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

  /** A node whose dialect and chain are known needs no call before a request is passed to it. */
  const isIntroduced = ({ dialect, chainId }: Member): boolean =>
    dialect !== undefined && (!chain.areCompared || chainId !== undefined);

  function timeLeft({ member, until }: Turn): number {
    const left = until - clock.elapsed();
    if (left > 0) return left;
    throw new UpstreamFailure(member.name, 'timeout', 'no time is left', { sent: false });
  }

  const sendIn =
    (turn: Turn): SendToNode =>
    (question) => {
      turn.isOpenEnded = isUpToCaller(question);
      return turn.member.source.send(question, timeLeft(turn), turn.signal);
    };

  /** Records the outcome of a turn as the state of its node. */
  async function recorded<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
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

  return {
    readHead,

    /** Calls a node in its dialect. */
    call: <T>(turn: Turn, use: UseNode<Calls, T>): Promise<T> =>
      recorded(turn, () => attempt(turn.member, sendIn(turn), use)),

    /** Passes a request to a node as it is. */
    pass: <T>(turn: Turn, request: PassedRequest, accept: (reply: PassedReply) => T): Promise<T> =>
      recorded(turn, () => {
        const { member, signal } = turn;
        const pass = () => {
          turn.isOpenEnded = true;
          return member.source.pass(request, timeLeft(turn), signal).then(accept);
        };
        return isIntroduced(member) ? pass() : attempt(member, sendIn(turn), pass);
      }),
  };
}
