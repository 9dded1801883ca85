import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Clock, SECOND } from '#core/clock';
import type { Log } from '#core/log';
import { untilAborted } from '#core/until-aborted';
import { ADAPTERS, type NodeCalls, type NodeDialect } from '#cosmos/dialects/adapter';
import { createRpcAdapter, type RpcCalls } from '#cosmos/dialects/rpc';
import { NodeRejection } from '#cosmos/exchange';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import type { FailureLog } from '#upstream/failures/failure-log';
import type { Warning } from '#upstream/freshness';
import { createMember, createWantedChain, type Member, type PoolSource, type WantedChain } from './member.ts';
import {
  type Calling,
  callMember,
  type OpenCalls,
  type PoolCalls,
  passToMember,
  readHead,
  type Turn,
  type UseNode,
} from './member-call.ts';
import { notConfigured } from './problem.ts';
import { CHECK_INTERVAL, type PassedReply, type PassedRequest } from './source.ts';

/** A node that is further behind the best node, in blocks, is used only if no other node is usable. */
const MAX_BEHIND = 50;
/** How long the first callers wait for the nodes' heights, as a share of the deadline. */
const PATIENCE = 0.25;
/** How many times all nodes are tried if the last failure was transient. Otherwise, each node is tried once. */
const MAX_ROUNDS = 2;
const TRANSIENT: ReadonlySet<FailureCause> = new Set(['unreachable', 'server_error']);

/** How long a user's calls go to the node that received the user's last broadcast, in ms. */
const USER_NODE_TTL = 15 * SECOND;
const MAX_USERS = 10_000;

/**
 * The number of the node that received a user's last broadcast. Another node may lag behind, and report a sequence with
 * which the next transaction fails. The lists of REST and RPC URLs have the same order, so their pools share it.
 */
export const createUserNodes = () => new LRUCache<number, number>({ max: MAX_USERS, ttl: USER_NODE_TTL });

type Options<Calls> = {
  sources: readonly PoolSource[];
  open: OpenCalls<Calls>;
  /** Whether the sources are the nodes of the list of REST or RPC URLs. */
  list: '' | 'rpc-';
  /** The problem if there are no sources. */
  notConfigured: () => Error;
  userNodes?: ReturnType<typeof createUserNodes>;
  dialect: NodeDialect | 'auto';
  /** The default is the chain of the first node that reports one. */
  chainId?: string | undefined;
  /** The deadline for a response, shared by all nodes, in ms. */
  timeoutMs: number;
  clock: Clock;
  log: Log;
  failures: Pick<FailureLog, 'failed'>;
};

/** On whose behalf the pool is called. The signal cancels a read when the client disconnects. */
export type NodeCaller = { user?: number | undefined; signal?: AbortSignal | undefined };
type ReadOptions = NodeCaller & { until?: number | undefined };

type Pool<Calls = PoolCalls> = Calling<Calls> &
  Required<Pick<Options<Calls>, 'userNodes' | 'timeoutMs' | 'notConfigured'>> & {
    members: readonly Member[];
    /** When the heights were last refreshed, in monotonic ms. */
    checkedAt: number;
    firstCheck?: Promise<void>;
    isChecked: boolean;
  };

function newPool<Calls>({ userNodes = createUserNodes(), ...options }: Options<Calls>): Pool<Calls> {
  const { sources, list, dialect, chainId } = options;
  const configured = dialect === 'auto' ? undefined : dialect;
  const members = sources.map((source, index) => createMember(source, index, configured, list));
  const chain = createWantedChain(members, chainId);
  return { ...options, userNodes, configured, members, chain, checkedAt: Number.NEGATIVE_INFINITY, isChecked: false };
}

async function checkHeight(pool: Pool, member: Member): Promise<void> {
  try {
    const until = pool.clock.elapsed() + pool.timeoutMs;
    member.height = await callMember(pool, { member, until }, (calls) => readHead(pool, member, calls));
  } catch {
    member.height = undefined;
  }
}

/** Refreshes the heights when they are due. Only the first callers wait, for a limited time. */
function checkHeights(pool: Pool): Promise<void> | undefined {
  const { members, clock, timeoutMs } = pool;
  if (clock.elapsed() - pool.checkedAt >= CHECK_INTERVAL) {
    pool.checkedAt = clock.elapsed();
    const checks = Promise.all(members.map((member) => checkHeight(pool, member)));
    pool.firstCheck ??= Promise.race([checks, wait(timeoutMs * PATIENCE, undefined, { ref: false })]).then(() => {
      pool.isChecked = true;
    });
  }
  return pool.isChecked ? undefined : pool.firstCheck;
}

/** How many blocks a node is behind the best node, if this lag excludes the node. Otherwise, undefined. */
function lag(chain: WantedChain, { height }: Member): number | undefined {
  if (height === undefined) return undefined;
  const blocks = Math.max(...chain.members().map((one) => one.height ?? 0)) - height;
  return blocks > MAX_BEHIND ? blocks : undefined;
}

const isSound = ({ height, failure }: Member): boolean => height !== undefined && failure === undefined;

/** The node of the user's last broadcast comes first. Nodes that failed or have no known height come last. */
function inOrder({ chain, userNodes }: Pool, user: number | undefined): Member[] {
  const among = chain.members();
  if (among.length === 0) throw chain.failure();
  if (among.length === 1) return among;
  const near = among.filter((member) => lag(chain, member) === undefined);
  const sound = near.filter(isSound);
  const rest = near.filter((member) => !isSound(member));
  // The best node may fail all other calls. While no node is healthy, nodes that are far behind are tried too.
  const last = sound.length === 0 ? among.filter((member) => !near.includes(member)) : [];
  const number = user === undefined ? undefined : userNodes.get(user);
  const first = sound.findIndex((member) => member.number === number);
  if (first > 0) sound.unshift(...sound.splice(first, 1));
  return [...sound, ...rest, ...last];
}

/** Returns a promise only if the first heights are not known yet. */
function candidates(pool: Pool, { user, signal }: NodeCaller): Member[] | Promise<Member[]> {
  if (pool.members.length === 0) throw pool.notConfigured();
  const checking = pool.chain.areCompared ? checkHeights(pool) : undefined;
  // A caller that disconnects does not wait for the heights, which all callers share.
  return checking ? untilAborted(checking, signal).then(() => inOrder(pool, user)) : inOrder(pool, user);
}

/**
 * Shares the time among the nodes. Throws the `NodeRejection` of a node, the last `UpstreamFailure`, or the signal's
 * reason. A doubtful rejection is returned only if no other node accepts the request.
 */
async function inTurn<T>(pool: Pool, use: (turn: Turn) => Promise<T>, by: ReadOptions): Promise<T> {
  const { clock } = pool;
  const { until = clock.elapsed() + pool.timeoutMs, signal } = by;
  const tried: Member[] = [];
  let failure: unknown;
  let rejection: NodeRejection | undefined;
  let isTransient = true;
  for (let round = 1; ; round++) {
    const found = candidates(pool, by);
    const ready = found instanceof Promise ? await found : found;
    const chosen = isTransient ? ready : ready.filter((member) => !tried.includes(member));
    let left = chosen.length;
    for (const member of chosen) {
      const now = clock.elapsed();
      tried.push(member);
      signal?.throwIfAborted();
      try {
        return await use({ member, until: now + (until - now) / left--, signal });
      } catch (error) {
        if (error instanceof NodeRejection && error.isDoubtful) rejection ??= error;
        else if (error instanceof UpstreamFailure) failure = error;
        else throw error;
      }
    }
    if (rejection) throw rejection;
    if (round === MAX_ROUNDS || clock.elapsed() >= until) throw failure;
    isTransient = failure instanceof UpstreamFailure && TRANSIENT.has(failure.reason);
  }
}

/** Reads from any node. If a node fails, tries the next node. */
function createPool<Calls extends PoolCalls>(options: Options<Calls>) {
  const pool = newPool(options);
  const { chain, members, userNodes } = pool;
  return {
    candidates: (by: NodeCaller) => candidates(pool, by),
    call: <T>(turn: Turn, use: UseNode<Calls, T>): Promise<T> => callMember(pool, turn, use),
    checkChain: chain.check,
    /** Records the node that received a broadcast. */
    prefer(user: number | undefined, { number }: Member): void {
      if (user !== undefined && members.length > 1) userNodes.set(user, number);
    },

    read: <T>(use: UseNode<Calls, T>, by: ReadOptions = {}): Promise<T> =>
      inTurn(pool, (turn) => callMember(pool, turn, use), by),

    /** Like `read`, for a request that is passed on. `accept` throws if another node must be tried. */
    pass: <T>(request: PassedRequest, accept: (reply: PassedReply) => T, by: NodeCaller): Promise<T> =>
      inTurn(pool, (turn) => passToMember(pool, turn, request, accept), by),

    warnings(): Warning[] {
      return members.flatMap((member): Warning[] => {
        const node = { about: 'node', node: member.label } as const;
        if (chain.isOnOther(member)) return [{ ...node, otherChain: member.chainId ?? null }];
        if (chain.isLeftOut(member)) return [{ ...node, otherVersion: member.version ?? '' }];
        if (member.failure) return [{ ...node, cause: member.failure.reason }];
        const blocksBehind = lag(chain, member);
        return blocksBehind === undefined ? [] : [{ ...node, blocksBehind }];
      });
    },
  };
}

export type NodePool<Calls extends PoolCalls> = ReturnType<typeof createPool<Calls>>;

type Nodes = Omit<Options<PoolCalls>, 'open' | 'list' | 'notConfigured'>;

/** The nodes of `NODE_URLS`, with the calls of either dialect. */
export const createNodePool = (nodes: Nodes): NodePool<NodeCalls> =>
  createPool({
    ...nodes,
    list: '',
    open: (dialect, send, capabilities) => ADAPTERS[dialect](send, capabilities),
    notConfigured: () => notConfigured('NODE_URLS'),
  });

/** The nodes of `NODE_RPC_URLS`, with calls of CometBFT's JSON-RPC. */
export const createRpcPool = (nodes: Omit<Nodes, 'dialect'>): NodePool<RpcCalls> =>
  createPool({
    ...nodes,
    dialect: 'cosmos',
    list: 'rpc-',
    open: (_dialect, send) => createRpcAdapter(send),
    notConfigured: () => notConfigured('NODE_RPC_URLS'),
  });
