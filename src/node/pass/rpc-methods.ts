import {
  bytes,
  data,
  flag,
  hash,
  height,
  isHashQuery,
  isSearchPath,
  noProof,
  order,
  type ParamKind,
  page,
  perPage,
  query,
  queryPath,
} from './rpc-params.ts';

type Params = Readonly<Record<string, unknown>>;

export type RpcMethod = {
  /** In the order of the node, which also accepts them as a list. */
  params: Readonly<Record<string, ParamKind>>;
  required?: string;
  /** Whether the response may be large and slow. */
  isSearch?: (params: Params) => boolean;
  broadcast?: 'sync' | 'async';
};

const without: RpcMethod = { params: {} };
const ofHeight: RpcMethod = { params: { height } };
const ofHash: RpcMethod = { params: { hash }, required: 'hash' };
const pages = { page, per_page: perPage };

/** The methods that are passed to the node. */
export const RPC_METHODS: Readonly<Record<string, RpcMethod>> = {
  health: without,
  status: without,
  abci_info: without,
  num_unconfirmed_txs: without,
  consensus_params: ofHeight,
  abci_query: {
    params: { path: queryPath, data, height, prove: flag },
    required: 'path',
    isSearch: ({ path }) => isSearchPath(path),
  },
  block: ofHeight,
  block_by_hash: ofHash,
  header: ofHeight,
  header_by_hash: ofHash,
  commit: ofHeight,
  validators: { params: { height, ...pages } },
  blockchain: { params: { minHeight: height, maxHeight: height } },
  tx: { params: { hash, prove: flag }, required: 'hash' },
  tx_search: {
    params: { query, prove: noProof, ...pages, order_by: order },
    required: 'query',
    isSearch: (params) => !isHashQuery(params.query),
  },
  block_search: { params: { query, ...pages, order_by: order }, required: 'query', isSearch: () => true },
  block_results: { params: { height }, isSearch: () => true },
  broadcast_tx_sync: { params: { tx: bytes }, required: 'tx', broadcast: 'sync' },
  broadcast_tx_async: { params: { tx: bytes }, required: 'tx', broadcast: 'async' },
};

/** What clients of a method that is not passed on can do instead. */
const WITHOUT_SOCKET = 'The service has no WebSocket: look up transactions by their hash.';
export const ADVICE: Readonly<Record<string, string>> = {
  broadcast_tx_commit: 'Use broadcast_tx_sync, and look up the transaction by its hash.',
  subscribe: WITHOUT_SOCKET,
  unsubscribe: WITHOUT_SOCKET,
  unsubscribe_all: WITHOUT_SOCKET,
  websocket: WITHOUT_SOCKET,
};
