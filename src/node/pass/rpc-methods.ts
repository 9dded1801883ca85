import { BASE64 } from '#cosmos/conversion/protobuf';

/** A kind of parameter: which values are passed to the node, and how the URI form writes them. */
type ParamKind = {
  accepts: (value: unknown) => boolean;
  /** Follows the name in an error. */
  form: string;
  /** Converts the text of the URI form to a value of JSON. Undefined for another form. */
  fromUri: (text: string) => unknown;
};

const digitsOf = (text: string): string | undefined => /^"?(\d{1,18})"?$/.exec(text)?.[1];
const isWhole = (value: unknown, min: number, max: number): boolean => {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^\d{1,18}$/.test(text) && Number(text) >= min && Number(text) <= max;
};

const whole = (min: number, max: number): ParamKind => ({
  accepts: (value) => isWhole(value, min, max),
  form: max === Number.MAX_SAFE_INTEGER ? 'must be an integer' : `must be an integer from ${min} to ${max}`,
  fromUri: digitsOf,
});

/** The text in quotes, as the URI form writes a string. */
function quotedText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

const text = (form: string, accepts: (value: string) => boolean): ParamKind => ({
  accepts: (value) => typeof value === 'string' && accepts(value),
  form,
  fromUri: quotedText,
});

const hexOf = (value: string): string | undefined => /^0x((?:[\da-f]{2})*)$/i.exec(value)?.[1];
/** The length of a hash in base64. */
const HASH = 44;

/** The longest `data` of a query, in characters of hex. */
const MAX_DATA = 128 * 1024;
/** The node's own bound for a search. */
const MAX_QUERY = 512;

export const height = whole(0, Number.MAX_SAFE_INTEGER);
export const page = whole(1, 1_000);
export const perPage = whole(1, 100);

export const flag: ParamKind = {
  accepts: (value) => typeof value === 'boolean',
  form: 'must be true or false',
  fromUri: (given) => (given === 'true' || given === 'false' ? given === 'true' : undefined),
};

/** A proof makes the node load a block for each result. */
const noProof: ParamKind = { ...flag, accepts: (value) => value === false, form: 'must be false' };

export const query = text(`must be a string of at most ${MAX_QUERY} characters`, (value) => value.length <= MAX_QUERY);
export const order = text('must be asc or desc', (value) => /^(asc|desc|)$/.test(value));

export const data: ParamKind = {
  ...text(
    `must be at most ${MAX_DATA / 1024} KB of hex digits`,
    (value) => value.length <= MAX_DATA && /^([\da-f]{2})*$/i.test(value),
  ),
  fromUri: hexOf,
};

const base64 = (form: string, accepts: (value: string) => boolean): ParamKind => ({
  ...text(form, (value) => BASE64.test(value) && accepts(value)),
  fromUri(given) {
    const hex = hexOf(given);
    return hex === undefined ? undefined : Buffer.from(hex, 'hex').toString('base64');
  },
});

export const hash = base64(
  'must be a hash in base64; in a URL, 0x and 64 hex digits',
  (value) => value.length === HASH,
);
export const bytes = base64('must be a signed transaction in base64', (value) => value !== '');

/** Stores of the SDK whose keys a client may read. Some forks crash on the name of a store that they lack. */
const STORES = 'acc|auth|authz|bank|distribution|feegrant|gov|ibc|mint|params|slashing|staking|transfer|upgrade|wasm';
const QUERY_PATH = new RegExp(`^(/[A-Za-z0-9_.]+\\.(Query|Service)/[A-Za-z0-9]+|/store/(${STORES})/key)$`);
/** Paths that would bypass the broadcast logic or this list. */
const REFUSED_PATHS =
  /^\/cosmos\.(tx\.v1beta1\.Service\/BroadcastTx|base\.tendermint\.v1beta1\.Service\/ABCIQuery)$|reflection/i;
const SEARCH_PATHS = /^\/cosmos\.tx\.v1beta1\.Service\/(GetTxsEvent|GetBlockWithTxs)$/;

const queryPath = text(
  'must be a gRPC query such as /cosmos.bank.v1beta1.Query/Balance, or /store/{name}/key of a standard module',
  (value) => value.length <= MAX_QUERY && QUERY_PATH.test(value) && !REFUSED_PATHS.test(value),
);

const isSearchPath = (path: unknown): boolean => typeof path === 'string' && SEARCH_PATHS.test(path);

/** A search for one hash is a direct look-up in the node. */
const isHashQuery = (search: unknown): boolean =>
  typeof search === 'string' && /^\s*tx\.hash\s*=\s*'[\da-f]{64}'\s*$/i.test(search);

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
