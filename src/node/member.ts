import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import { traced } from '#core/tracing';
import { detectDialect, type NodeCalls, type NodeCapabilities, type NodeDialect } from '#cosmos/dialects/adapter';
import { NodeFault, type NodeFaultKind, type SendToNode } from '#cosmos/exchange';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import type { FailureLog } from '#upstream/failures/failure-log';
import { isUpToCaller, type NodeSource, type PassedReply, type PassedRequest } from './source.ts';

/** A node, and the function that counts the parts of its responses that are omitted because they are malformed. */
export type PoolSource = NodeSource & Pick<NodeCapabilities, 'reportOmitted'>;

export function createMember(source: PoolSource, index: number, dialect: NodeDialect | undefined, list: '' | 'rpc-') {
  const number = index + 1;
  return {
    /** The node's position among the URLs, from 1. */
    number,
    /** The position for the log and warnings, also of a node in the list of RPC URLs. */
    label: list === '' ? number : (`rpc-${number}` as const),
    source,
    dialect,
    capabilities: { ...(source.reportOmitted && { reportOmitted: source.reportOmitted }) } as NodeCapabilities,
    /** The height of the newest block at the last check. Undefined if the check failed. */
    height: undefined as number | undefined,
    /** The chain that the node reported. Null if it reported none, and undefined before its first response. */
    chainId: undefined as string | null | undefined,
    /** The major version that the node reported, if its interface reports one. */
    version: undefined as string | undefined,
    /** The failure of the node's last call. Undefined if the call succeeded. */
    failure: undefined as UpstreamFailure | undefined,
  };
}

const nameOf = ({ label }: Pick<Member, 'label'>): string => `node-${label}`;

export type Member = ReturnType<typeof createMember>;

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

const REASONS: Record<NodeFaultKind, FailureCause> = {
  malformed: 'unexpected',
  unavailable: 'server_error',
  not_ready: 'server_error',
  rate_limited: 'rate_limited',
  too_large: 'too_large',
  wrong_dialect: 'unexpected',
};

/** Faults with which the node certainly has not accepted a transaction. */
const NOT_ACCEPTED: ReadonlySet<NodeFaultKind> = new Set(['rate_limited', 'wrong_dialect', 'not_ready']);

/** Converts failures to `UpstreamFailure`. A transaction that the node has not accepted counts as not sent. */
function toFailure(error: unknown, sent: boolean, node: string): unknown {
  if (error instanceof UpstreamFailure) {
    if (sent && error.reason !== 'rate_limited') return error;
    const { retryAfter, reason, upstream, message, cause } = error;
    const said = message.slice(`${upstream}: `.length);
    return new UpstreamFailure(node, reason, said, { cause, retryAfter, sent: false });
  }
  if (!(error instanceof NodeFault)) return error;
  const isTaken = sent && !NOT_ACCEPTED.has(error.kind);
  return new UpstreamFailure(node, REASONS[error.kind], error.message.slice(0, 500), { cause: error, sent: isTaken });
}

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
/** Passes a request to the node as it is. */
export type Pass = (request: PassedRequest) => Promise<PassedReply>;
export type UseNode<Calls, T> = (calls: Calls, pass: Pass) => Promise<T>;

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
      throw toFailure(error, false, nameOf(member));
    }
  }

  /** Requests the node's chain before the node is used. If the request fails, no part of the call has been sent. */
  async function introduce(member: Member, calls: PoolCalls): Promise<void> {
    try {
      await readHead(member, calls);
    } catch (error) {
      throw error instanceof NodeFault && error.kind === 'wrong_dialect'
        ? error
        : toFailure(error, false, nameOf(member));
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

  /**
   * `until` is in monotonic ms. `sends` means that a failed call may have been received, as for a broadcast. `signal`
   * cancels the call, which says nothing about the node.
   */
  async function call<T>(
    member: Member,
    until: number,
    use: UseNode<Calls, T>,
    sends = true,
    signal?: AbortSignal,
  ): Promise<T> {
    let isOpenEnded = false;
    function timeLeft(): number {
      const left = until - clock.elapsed();
      if (left > 0) return left;
      throw new UpstreamFailure(nameOf(member), 'timeout', 'no time is left', { sent: false });
    }
    const send: SendToNode = (question) => {
      isOpenEnded = isUpToCaller(question);
      return member.source.send(question, timeLeft(), signal);
    };
    const pass: Pass = (request) => {
      isOpenEnded = true;
      return member.source.pass(request, timeLeft(), signal);
    };
    try {
      const attributes = { 'quotient.source': nameOf(member) };
      const value = await traced('node call', attributes, () => attempt(member, send, (calls) => use(calls, pass)));
      member.failure = undefined;
      return value;
    } catch (error) {
      signal?.throwIfAborted();
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
