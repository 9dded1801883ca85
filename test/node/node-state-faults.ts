import type { Fault } from '#sandbox/faults';

type NodeError = Extract<Fault, { kind: 'status' }>;

const modern = (status: number, code: number, message: string): NodeError => ({
  kind: 'status',
  status,
  body: { code, message, details: [] },
});
const legacy = (status: number, error: string): NodeError => ({ kind: 'status', status, body: { error } });

/**
 * The errors with which nodes report their own state, in the wording of the source files that the comments name.
 * `faults.next` and `faults.always` accept these errors.
 */
export const NODE_STATES = {
  /** cosmos-sdk 0.40 to 0.53, baseapp: the state of the newest block is pruned or not committed yet. */
  stateMissing: modern(
    400,
    3,
    'failed to load state at height 7; version does not exist (latest height: 7): invalid request',
  ),
  /** cosmos-sdk 0.46 to 0.53, baseapp: the node has started, and has no block yet. */
  firstBlock: modern(400, 26, 'SimApp is not ready; please wait for first block: invalid height'),
  heightInFuture: modern(
    400,
    26,
    'cannot query with height in the future; please provide a valid height: invalid height',
  ),
  /** Tendermint 0.34 to CometBFT 1.0, rpc/core/env.go, through the gateway. */
  blockPruned: modern(500, 2, 'height 7 is not available, lowest height is 28566001'),
  /** CometBFT 1.0, rpc/core/mempool.go. */
  catchingUp: modern(500, 2, 'endpoint is closed while node is catching up'),
  /** Tendermint and CometBFT, state/txindex/null. */
  withoutIndex: modern(500, 13, 'transaction indexing is disabled'),
  /** Errors of node providers. */
  limitUnder500: modern(500, 13, 'Too many requests'),
  limitUnder403: { kind: 'status', status: 403, body: { message: 'API rate limit exceeded' } },
  limitUnder200: { kind: 'status', status: 200, body: { code: 8, message: 'Too many requests', details: [] } },
  limitOfJsonRpc: {
    kind: 'status',
    status: 200,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32005, message: 'daily request count exceeded, request rate limited' },
    },
  },
  limitAsText: { kind: 'status', status: 503, body: 'Too Many Requests' },
  unavailableUnder200: {
    kind: 'status',
    status: 200,
    body: { code: 14, message: 'connection error: desc = "transport: error while dialing"', details: [] },
  },
  /** Legacy nodes, SDK 0.38 and 0.39. */
  legacyStateMissing: legacy(500, 'failed to load state at height 7; version does not exist (latest height: 7)'),
  legacyPruned: legacy(500, 'RPC error -32603 - Internal error: height 7 is not available, lowest height is 100'),
  legacyWithoutNode: legacy(
    500,
    'ABCIQuery: Post "http://localhost:26657": dial tcp [::1]:26657: connect: connection refused',
  ),
} satisfies Record<string, NodeError>;

/** The outcome of a broadcast to a node whose mempool is full: cosmos-sdk, client/broadcast.go. */
export const MEMPOOL_IS_FULL = { height: '0', codespace: 'sdk', code: 20, raw_log: '' } as const;
