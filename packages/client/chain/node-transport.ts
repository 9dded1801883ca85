import { toBase64 } from '../../cosmos/conversion/protobuf.ts';
import type { NodeCalls } from '../../cosmos/dialects/adapter.ts';
import { createLegacyAdapter } from '../../cosmos/dialects/legacy.ts';
import { bodyOf } from '../../cosmos/dialects/node-errors.ts';
import { legacySearch, legacyTransaction } from '../../cosmos/dialects/transactions.ts';
import { NodeFault, NodeRejection, type NodeReply, type NodeRequest, type SendToNode } from '../../cosmos/exchange.ts';
import type { BroadcastRequest } from '../../cosmos/legacy-shapes.ts';
import { txHashOf } from '../../cosmos/transactions.ts';
import { invalid, QuotientError, rejectSecret, rejectSecretMembers } from '../error.ts';
import { type Answer, factsOf, parseJson, problemOf } from '../transport/answer.ts';
import type { CallOptions } from '../transport/options.ts';
import type { Transport } from '../transport/transport.ts';

/** A node's non-2xx response, which the adapter interprets. */
class NodeResponse extends QuotientError {
  readonly reply: NodeReply;

  constructor(response: Response, body: unknown) {
    super('invalid_answer', `the node responded with status ${response.status}`, factsOf(response));
    this.reply = { status: response.status, body };
  }
}

function toError(response: Response, text: string): QuotientError {
  // The service in front of the node sent this response.
  if (response.headers.get('content-type')?.startsWith('application/problem+json')) return problemOf(response, text);
  return new NodeResponse(response, parseJson(text));
}

type SendOptions = {
  apiKey?: string | undefined;
  call?: CallOptions | undefined;
  /** Called with the metadata of every 2xx response. */
  onAnswer?: ((answer: Answer) => void) | undefined;
};

/** Sends a request to a node and returns the response, whatever its status. Throws if the service reports a problem. */
export async function sendToNode(
  transport: Transport,
  request: NodeRequest,
  { apiKey, call, onAnswer }: SendOptions,
): Promise<NodeReply> {
  try {
    const { answer, headers, text } = await transport.send({ ...request, apiKey, toError }, call);
    onAnswer?.(answer);
    const blockHeight = headers.get('grpc-metadata-x-cosmos-block-height') ?? undefined;
    return { status: answer.status, body: parseJson(text), blockHeight };
  } catch (error) {
    if (error instanceof NodeResponse) return error.reply;
    throw error;
  }
}

const FAULTS = {
  malformed: ['upstream_invalid', 502],
  too_large: ['upstream_invalid', 502],
  wrong_dialect: ['upstream_invalid', 502],
  unavailable: ['upstream_unavailable', 503],
  not_ready: ['upstream_unavailable', 503],
  rate_limited: ['upstream_unavailable', 503],
} as const;

export function asQuotientError(error: unknown): unknown {
  if (error instanceof NodeRejection) {
    return new QuotientError('node_rejected', error.message, { status: error.status, cause: error });
  }
  if (error instanceof NodeFault) {
    const [code, status] = FAULTS[error.kind];
    return new QuotientError(code, error.message, { status, cause: error });
  }
  return error;
}

/** Calls a node through the service, which returns legacy shapes, and accepts `tx_bytes` and both search dialects. */
export function createServiceAdapter(send: SendToNode): NodeCalls {
  return {
    ...createLegacyAdapter(send),
    prepare: async (request) => request,
    transactions: async (query) => legacySearch(bodyOf(await send({ method: 'GET', path: '/txs', query }))),
    async broadcast(request) {
      return legacyTransaction(bodyOf(await send({ method: 'POST', path: '/txs', query: [], body: request })));
    },
  };
}

/** A signed amino transaction, as `makeStdTx` of CosmJS returns it. It is encoded for modern nodes. */
export type StdTx = { msg: readonly unknown[]; fee: unknown; signatures: readonly unknown[]; memo?: string };

/** A signed transaction: the bytes of a `TxRaw`, the same bytes in base64, or an amino `StdTx`. */
export type SignedTransaction = Uint8Array | string | StdTx;

/** A signature alone takes 64 bytes. Shorter input is not a signed transaction and may be a key. */
const MIN_BYTES = 65;

function bytesOf(text: string): string {
  try {
    return atob(text);
  } catch {
    throw invalid('the transaction must be bytes, base64 or an amino StdTx');
  }
}

/** Throws `QuotientError` if the input is not a signed transaction. The error never contains the input. */
export function readSigned(tx: SignedTransaction): Pick<BroadcastRequest, 'tx' | 'tx_bytes'> {
  if (tx instanceof Uint8Array || typeof tx === 'string') {
    rejectSecret('the transaction', tx);
    const text = typeof tx === 'string' ? btoa(bytesOf(tx)) : toBase64(tx);
    if (bytesOf(text).length < MIN_BYTES)
      throw invalid('the transaction is too short; pass a signed transaction, never a key');
    return { tx_bytes: text };
  }
  if (typeof tx !== 'object' || tx === null)
    throw invalid('the transaction is missing; pass bytes, base64 or an amino StdTx');
  rejectSecretMembers('the transaction', tx);
  if (!Array.isArray(tx.msg) || !Array.isArray(tx.signatures) || tx.signatures.length === 0) {
    throw invalid('an amino StdTx must have msg, fee and signatures; sign the transaction before you pass it');
  }
  return { tx };
}

/** Returns undefined for amino JSON: its hash is unknown until the node has encoded it. */
export async function hashOf({ tx_bytes }: Pick<BroadcastRequest, 'tx_bytes'>): Promise<string | undefined> {
  return tx_bytes === undefined ? undefined : txHashOf(tx_bytes).catch(() => undefined);
}
