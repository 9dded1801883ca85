import { invalidRequest, Problem } from '#core/problems';

/** A call that the allow list contains. `path` and `search` are as the client sent them. */
export type RestCall = {
  kind: 'read' | 'simulate' | 'broadcast';
  path: string;
  search: string;
  /** The first one or two segments, which name the call in metrics: `cosmos/bank`. */
  name: string;
  /** Whether the response may be large and slow. */
  isSearch: boolean;
  /** Whether the path contains a height, so that a node without it is not at fault. */
  isHeightChosen: boolean;
};

const MODULES =
  'auth|authz|bank|circuit|consensus|distribution|evidence|evm|feegrant|gov|group|mint|nft|params|protocolpool|slashing|staking|upgrade';

const READS = [
  new RegExp(`^/cosmos/(${MODULES})/.`),
  /^\/cosmos\/base\/tendermint\/v1beta1\/(node_info|syncing|(blocks|validatorsets)\/[^/]+)$/,
  /^\/cosmos\/base\/node\/v1beta1\/(config|status)$/,
  /^\/cosmos\/tx\/v1beta1\/txs\/[\da-f]{64}$/i,
  /^\/(ibc|interchain_security)\/./,
  /^\/cosmwasm\/wasm\/v1\/./,
  /^\/feemarket\/v1\/./,
];
const SEARCHES = /^\/cosmos\/tx\/v1beta1\/txs(\/block\/\d{1,18})?$/;
const POSTS: Readonly<Record<string, RestCall['kind']>> = {
  '/cosmos/tx/v1beta1/simulate': 'simulate',
  '/cosmos/tx/v1beta1/txs': 'broadcast',
};
const HEIGHT = /\/(blocks|validatorsets|block)\/\d+$/;

/** The characters of a path (RFC 3986, 3.3) except `;`, at which some routers end a segment. */
const PATH = /^(\/([\w.~!$&'()*+,=:@-]|%[\dA-Fa-f]{2})+)+$/;
/** Encoded separators, a second encoding, and invisible characters. Servers disagree about their meaning. */
const AMBIGUOUS = /[/\\%\p{C}\p{Zl}\p{Zp}]/u;
/** `;` separates parameters for some nodes, and would hide a parameter from the checks. */
const QUERY = /^[!"$-:<-~]*$/;

const MAX_LIMIT = 1_000;
const MAX_OFFSET = 10_000;

/** The gateway's own response to an unknown path. Clients treat a 404 as an account or a transaction that does not exist. */
const notServed = () =>
  new Problem('not_found', 'Not Implemented: the service does not serve this path of a node.', { status: 501 });

function decodedPath(path: string): string {
  const fault = invalidRequest({
    location: 'path',
    message: 'has ambiguous characters',
    fix: 'send the path of the gateway',
  });
  if (!PATH.test(path)) throw fault;
  const segments = path.split('/').map((segment) => {
    try {
      const decoded = decodeURIComponent(segment);
      if (/^\.\.?$/.test(decoded) || AMBIGUOUS.test(decoded)) throw fault;
      return decoded;
    } catch {
      throw fault;
    }
  });
  return segments.join('/');
}

function assertWhole(query: URLSearchParams, name: string, max: number): void {
  for (const value of query.getAll(name)) {
    // Nodes also read other notations, such as hexadecimal numbers.
    if (/^\d{1,6}$/.test(value) && Number(value) <= max) continue;
    throw invalidRequest({ location: `query.${name}`, message: `must be an integer up to ${max}`, fix: '' });
  }
}

/** Throws `invalid_request` for a page whose cost has no bound: nodes read all elements before it. */
function assertPage(search: string): void {
  if (!QUERY.test(search.slice(1)))
    throw invalidRequest({ location: 'query', message: 'must contain no ; and no # and no spaces', fix: '' });
  const query = new URLSearchParams(search);
  assertWhole(query, 'pagination.limit', MAX_LIMIT);
  assertWhole(query, 'pagination.offset', MAX_OFFSET);
  if (query.has('pagination.key') && query.has('pagination.offset'))
    throw invalidRequest({
      location: 'query.pagination.offset',
      message: 'must not be sent with pagination.key',
      fix: '',
    });
}

/**
 * Checks a request against the allow list. Throws `invalid_request`, or 501 for a path that is not in the list.
 * @param target the path under the mount, and the query, as the client sent them
 * @param prefixes further first segments that the operator allows
 */
export function readRestCall(method: string, target: string, prefixes: ReadonlySet<string>): RestCall {
  const at = target.indexOf('?');
  const search = at < 0 ? '' : target.slice(at);
  // Some clients join the base URL and the path with two slashes.
  const path = `/${at < 0 ? target : target.slice(0, at)}`.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  if (path === '') throw notServed();
  const decoded = decodedPath(path);
  const [, first = '', second = ''] = decoded.split('/');
  const isSearch = method === 'GET' && SEARCHES.test(decoded);
  const isRead = isSearch || READS.some((allowed) => allowed.test(decoded)) || prefixes.has(first);
  const kind = method === 'GET' ? (isRead ? 'read' : undefined) : POSTS[decoded];
  if (kind === undefined) throw notServed();
  assertPage(search);
  const name = first === 'cosmos' ? `cosmos/${second}` : first;
  return { kind, path, search, name, isSearch, isHeightChosen: HEIGHT.test(decoded) };
}
