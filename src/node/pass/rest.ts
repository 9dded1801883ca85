import { invalidRequest } from '#core/problems';
import { BASE64 } from '#cosmos/conversion/protobuf';
import type { NodeCalls } from '#cosmos/dialects/adapter';
import { bodyOf, nodeStateOf } from '#cosmos/dialects/node-errors';
import { NodeFault, NodeRejection } from '#cosmos/exchange';
import type { BroadcastMode, BroadcastRequest, LegacyTransaction } from '#cosmos/legacy-shapes';
import { isMembers, type Members, parseJson } from '#cosmos/parsers';
import { isInBlock } from '#cosmos/transactions';
import type { Node } from '#node/node';
import type { NodeCaller, NodePool } from '#node/pool';
import { nodeProblem } from '#node/problem';
import type { PassedReply } from '#node/source';
import type { RestCall } from './rest-path.ts';

/** The modes of the gateway, by name and by number. */
const MODES: Readonly<Record<string, BroadcastMode>> = {
  BROADCAST_MODE_BLOCK: 'block',
  BROADCAST_MODE_SYNC: 'sync',
  BROADCAST_MODE_ASYNC: 'async',
  1: 'block',
  2: 'sync',
  3: 'async',
};

const FORM = 'send {tx_bytes, mode}';

/** Some clients use the JSON names of protobuf, in camel case. */
const bytesIn = ({ tx_bytes, txBytes }: Members): unknown => tx_bytes ?? txBytes;

export function assertSimulation(body: Members): void {
  if (bytesIn(body) === undefined && body.tx === undefined)
    throw invalidRequest({ location: 'body', message: 'must contain tx_bytes or tx', fix: FORM });
}

export function signedRequest(body: Members): BroadcastRequest {
  const bytes = bytesIn(body);
  if (typeof bytes !== 'string' || bytes === '' || !BASE64.test(bytes))
    throw invalidRequest({ location: 'body.tx_bytes', message: 'must be a signed transaction in base64', fix: FORM });
  const mode = MODES[String(body.mode)];
  if (mode === undefined) {
    const fix = 'use BROADCAST_MODE_SYNC, BROADCAST_MODE_ASYNC or BROADCAST_MODE_BLOCK';
    throw invalidRequest({ location: 'body.mode', message: 'is not a supported mode', fix });
  }
  return { tx_bytes: bytes, mode };
}

/** The maximum length of a node's error message. A panic contains a stack trace of several KB. */
const MAX_MESSAGE = 2_000;
/** Longer bodies are not errors. */
const MAX_ERROR = 4_096;
const NOT_FOUND = 5;
/** The start of an error body. Providers also send one with status 200. */
const ERROR = /^\s*\{\s*"(code|message|error|jsonrpc)"/;

/** A rejection that another node may not share. If all nodes reject the request, the client receives this reply. */
class PassedRejection extends NodeRejection {
  readonly reply: PassedReply;

  constructor(reply: PassedReply, message: string) {
    super(400, message, { isDoubtful: true });
    this.reply = reply;
  }
}

const withBody = (reply: PassedReply, status: number, body: object): PassedReply => ({
  ...reply,
  status,
  bytes: Buffer.from(JSON.stringify(body)),
});

function errorBodyOf({ status, bytes, body }: PassedReply): unknown {
  if (status >= 400) return body;
  if (bytes.length > MAX_ERROR) return undefined;
  const text = bytes.toString();
  return ERROR.test(text) ? parseJson(text) : undefined;
}

/** The reply that the client receives. Throws `NodeFault` and `PassedRejection` if another node must be tried. */
function restReply(reply: PassedReply, isHeightChosen: boolean): PassedReply {
  const { status } = reply;
  const body = errorBodyOf(reply);
  if (status < 400 && body === undefined) return reply;
  const { code, message } = isMembers(body) ? body : {};
  const text = typeof message === 'string' ? message : '';
  // A wrong verb, a disabled service or a path of another version is not a failure of the node.
  if (status === 501) return reply;
  if (status === 404 && code !== NOT_FOUND)
    return withBody(reply, 501, { code: 12, message: 'Not Implemented', details: [] });
  const shown =
    text.length > MAX_MESSAGE
      ? withBody(reply, status, { ...(body as object), message: text.slice(0, MAX_MESSAGE) })
      : reply;
  try {
    bodyOf({ status, body }, { isHeightChosen });
  } catch (error) {
    // Simulations report panics of the application with status 500, with words that failing nodes also use.
    if (status === 500 && nodeStateOf(text) === undefined) throw new PassedRejection(shown, text);
    if (error instanceof NodeFault && error.kind !== 'wrong_dialect') throw error;
  }
  return shown;
}

const TXS = '/cosmos/tx/v1beta1/txs';

/** The members of a gateway's response to a broadcast. The legacy shape omits the empty ones. */
const EMPTY = {
  height: '0',
  txhash: '',
  codespace: '',
  code: 0,
  data: '',
  raw_log: '',
  logs: [],
  info: '',
  gas_wanted: '0',
  gas_used: '0',
  tx: null,
  timestamp: '',
  events: [],
};

/** `height` is the block height that the client has chosen in a header. */
type RestRequest = { call: RestCall; height?: string | undefined; body?: Buffer | undefined };

/** Passes requests to the nodes' REST interface. */
export function createRest(pool: NodePool<NodeCalls>, node: Pick<Node, 'broadcast'>) {
  /** Throws problems, or the reason of the signal. */
  async function pass({ call, height, body }: RestRequest, by: NodeCaller): Promise<PassedReply> {
    const { path, search, name, isSearch, isHeightChosen } = call;
    const request = {
      ...{ path, search, isSearch, circuit: name },
      ...(height !== undefined && { headers: { 'x-cosmos-block-height': height } }),
      ...(body !== undefined && { body }),
    };
    const isChosen = isHeightChosen || height !== undefined;
    return pool
      .pass(request, (reply) => restReply(reply, isChosen), by)
      .catch((error) => {
        if (error instanceof PassedRejection) return error.reply;
        throw nodeProblem(error);
      });
  }

  const record = (sent: LegacyTransaction): PassedReply => ({
    status: 200,
    headers: {},
    bytes: Buffer.from(JSON.stringify({ tx_response: { ...EMPTY, ...sent } })),
  });

  return {
    pass,

    /** Sends a transaction once. A transaction that is in a block is returned as the node reports it. */
    async broadcast(call: RestCall, signed: BroadcastRequest, by: NodeCaller): Promise<PassedReply> {
      const sent = await node.broadcast(signed, by);
      if (!isInBlock(sent)) return record(sent);
      const found = await pass({ call: { ...call, path: `${TXS}/${sent.txhash}`, search: '' } }, by);
      return found.status === 200 ? found : record(sent);
    },
  };
}

export type Rest = ReturnType<typeof createRest>;
