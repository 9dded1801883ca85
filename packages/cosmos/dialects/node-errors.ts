import { NodeFault, type NodeFaultKind, NodeRejection, type NodeReply } from '../exchange.ts';
import { isMembers, type Members } from '../parsers.ts';

/*
 * Error responses of nodes:
 *
 * - Legacy: `{error}`. Statuses 400 and 404 mean an invalid request. Status 500 can be any error of the chain's RPC,
 *   including other invalid requests.
 * - Modern: `{code, message, details}`, with a gRPC code and its HTTP status. Code 2 or 13 with status 500 can be any
 * error of the RPC, such as a request for a page after the last page.
 * - Providers in front of a node: a JSON-RPC error, or any of these bodies with status 200.
 */

const GRPC = {
  deadline: 4,
  notFound: 5,
  permissionDenied: 7,
  exhausted: 8,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
};

/** The HTTP statuses of gRPC codes, for errors with status 200. Other codes have status 500. */
const STATUSES: Readonly<Record<number, number>> = { 3: 400, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 11: 400, 16: 401 };

/**
 * Messages about the node's own state, with any status and code. SDK nodes report these states with code 3 and status
 * 400, as they do for invalid requests. `height` applies unless the client has chosen the height.
 */
const OWN_STATES: readonly (readonly [kind: NodeFaultKind | 'height', wording: RegExp])[] = [
  // cosmos-sdk/baseapp: the query context, since 0.38 and 0.46. Otherwise, only the client's `x-cosmos-block-height`
  // can cause the second message, and the service does not forward this header.
  ['height', /failed to load state at height|cannot query with height in the future/i],
  ['not_ready', /is not ready; please wait for first block/i],
  ['height', /did not contain latest block height in either check state or finalize block state/i],
  // cosmos-sdk/store/rootmulti and cosmos/iavl: a pruned or not yet committed version.
  ['height', /version does not exist|version mismatch on immutable IAVL|no versions? found|no commit info found/i],
  // rpc/core/env.go of Tendermint 0.33 to CometBFT 1.0, also within "tx … not found, err: …".
  ['height', /height \d+ is not available|must be less than or equal to the current blockchain height/i],
  [
    'height',
    /(could not|couldn't) find (results|block|header) (for|at) height|height must be greater than 0, but got 0/i,
  ],
  ['height', /\b(is|are|been|was|state|block|data|node|already) pruned\b|pruned (node|state|height|block)/i],
  // rpc/core/mempool.go of CometBFT 1.0, and the wordings of providers.
  ['not_ready', /(is|while|still) (catching up|syncing)|not (yet )?(fully )?synced|endpoint is closed/i],
  // mempool/errors.go. The transaction has not been checked.
  ['not_ready', /mempool is full/i],
  // The gateway cannot reach its node. Nothing has been sent.
  ['not_ready', /dial (tcp|unix)\b.*(refused|no such host|no route|unreachable|no such file)/i],
  // rpc/core/tx.go and state/txindex/null.
  ['unavailable', /transaction indexing is disabled|indexing is disabled/i],
  // google.golang.org/grpc. The code is 8, as for a rate limit.
  ['too_large', /message larger than max/i],
  ['rate_limited', /too many (requests|connections|concurrent)|\brate[ -]?limit|throttled|\bover (the |your )?limit/i],
  ['rate_limited', /\b(requests?|quota|credits?|calls?|usage|capacity) (limit |quota )?(exceeded|exhausted)/i],
  ['rate_limited', /exceeded (the|your)? ?[\w ]{0,30}(quota|requests|calls|credits)/i],
];

/** Further messages of a failing node, with status 500. With another status, they may repeat the client's text. */
const FAILING =
  /connection (refused|reset)|dial tcp|no such host|broken pipe|\bEOF\b|time(d )?out|deadline exceeded|context canceled|unavailable|panic/i;

/** The longest message that is searched for wordings, in characters. Panics contain stack traces of several KB. */
const MAX_SEARCHED = 2_000;

/** Classifies a message about the node itself, whatever the status is. Returns undefined for any other message. */
export function nodeStateOf(message: string): NodeFaultKind | 'height' | undefined {
  const searched = message.slice(0, MAX_SEARCHED);
  return OWN_STATES.find(([, wording]) => wording.test(searched))?.[0];
}

/** The statuses of a node that rejects an invalid request. Any other status comes from a proxy in front of it. */
const REJECTIONS = new Set([400, 404, 409, 413, 414, 415, 422, 500]);

/** A router's error for an unknown path. */
const NO_SUCH_PATH = /^(not implemented|not found|404 page not found)$/i;

/** Reads `{message}`, `{error}`, JSON-RPC's `{error: {message, data}}`, or `{detail}` and `{reason}` of gateways. */
function messageOf(body: unknown): string | undefined {
  if (!isMembers(body)) return undefined;
  const { error } = body;
  const texts = isMembers(error) ? [error.message, error.data] : [error ?? body.message];
  const message = texts.filter((one) => typeof one === 'string' && one !== '').join(': ');
  return message === '' ? undefined : message;
}

function codeOf(body: unknown): number | undefined {
  const { code, error } = isMembers(body) ? body : {};
  const reported = code ?? (isMembers(error) ? error.code : undefined);
  return typeof reported === 'number' ? reported : undefined;
}

/** The members of error bodies. A body with another member is a result. */
const OF_ERRORS = new Set(['error', 'code', 'message', 'details', 'jsonrpc', 'id', 'status', 'success']);
const isError = (body: Members): boolean =>
  messageOf(body) !== undefined && Object.keys(body).every((name) => OF_ERRORS.has(name));

/** The fault for a response without an error message. A proxy or another kind of server sends such responses. */
function faultOf(status: number): NodeFault {
  if (status === 429) return new NodeFault('rate_limited', 'the node rejected the request because of its rate limit');
  if (status === 404 || status === 405 || status === 501) {
    return new NodeFault('wrong_dialect', `the node does not support this path (${status})`);
  }
  return new NodeFault(
    status >= 500 ? 'unavailable' : 'malformed',
    `the node responded with status ${status} and no error message`,
  );
}

type Reported = { status: number; code: number | undefined; message: string };

function errorOf({ status, code, message }: Reported, isHeightChosen: boolean): NodeFault | NodeRejection {
  const state = nodeStateOf(message);
  if (state !== undefined && state !== 'height') return new NodeFault(state, message);
  if (state === 'height' && !isHeightChosen) return new NodeFault('unavailable', message);
  if (code === GRPC.unimplemented || status === 501 || NO_SUCH_PATH.test(message)) {
    return new NodeFault('wrong_dialect', message);
  }
  if (code === GRPC.exhausted || status === 429) return new NodeFault('rate_limited', message);
  // The operator has no permission or has not paid. The caller cannot change that.
  const isOperatorFault = code === GRPC.permissionDenied || code === GRPC.unauthenticated || !REJECTIONS.has(status);
  const isDown = code === GRPC.unavailable || code === GRPC.deadline;
  if (isOperatorFault || isDown || (status === 500 && FAILING.test(message)))
    return new NodeFault('unavailable', message);
  if (code === GRPC.notFound || status === 404) return new NodeRejection(404, message);
  // Status 500 can mean an invalid request, or a state of the node in a wording that is not listed.
  return new NodeRejection(status === 422 ? 422 : 400, message, { isDoubtful: status === 500 && state === undefined });
}

/** The error in a response that is not 2xx, or in a 2xx response whose body is an error. */
function reportedIn({ status, body }: NodeReply): Reported | undefined {
  const message = messageOf(body);
  if (message === undefined) return undefined;
  const code = codeOf(body);
  return { status: status < 300 ? (STATUSES[code ?? Number.NaN] ?? 500) : status, code, message };
}

type Options = { isHeightChosen?: boolean };

/** The body of a 2xx response. Throws `NodeRejection` or `NodeFault` for any other response. */
export function bodyOf(reply: NodeReply, { isHeightChosen = false }: Options = {}): Members {
  const { status, body } = reply;
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && isMembers(body) && !isError(body)) return body;
  const reported = reportedIn(reply);
  if (reported) throw errorOf(reported, isHeightChosen);
  throw isSuccess ? new NodeFault('malformed', 'the node did not return a JSON object') : faultOf(status);
}

/** Maps a "not found" error to status 404, because nodes report an unknown hash with status 400, 404 or 500. */
export function notFound(error: unknown): unknown {
  const isUnknown = error instanceof NodeRejection && /not found/i.test(error.message);
  return isUnknown ? new NodeRejection(404, error.message) : error;
}
