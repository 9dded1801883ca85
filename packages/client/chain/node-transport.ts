import { toBase64 } from '../../cosmos/conversion/protobuf.ts';
import type { NodeCalls } from '../../cosmos/dialects/adapter.ts';
import { createLegacyAdapter } from '../../cosmos/dialects/legacy.ts';
import { answered } from '../../cosmos/dialects/replies.ts';
import { legacySearch, legacyTransaction } from '../../cosmos/dialects/transactions.ts';
import { NodeFault, NodeRejection, type NodeReply, type NodeRequest, type SendToNode } from '../../cosmos/exchange.ts';
import type { BroadcastRequest } from '../../cosmos/legacy-shapes.ts';
import { txHashOf } from '../../cosmos/transactions.ts';
import { invalid, QuotientError, refuseSecret, refuseSecretMembers } from '../error.ts';
import { type Answer, factsOf, parseJson, problemOf } from '../transport/answer.ts';
import type { CallOptions } from '../transport/options.ts';
import type { Transport } from '../transport/transport.ts';

/** A node's response outside 2xx, for the adapter to interpret. */
class NodeAnswer extends QuotientError {
  readonly reply: NodeReply;

  constructor(response: Response, body: unknown) {
    super('invalid_answer', `the node answered ${response.status}`, factsOf(response));
    this.reply = { status: response.status, body };
  }
}

function toError(response: Response, text: string): QuotientError {
  // The service in front of the node responses with a problem.
  if (response.headers.get('content-type')?.startsWith('application/problem+json')) return problemOf(response, text);
  return new NodeAnswer(response, parseJson(text));
}

type AskOptions = {
  apiKey?: string | undefined;
  call?: CallOptions | undefined;
  /** Called with the metadata of every 2xx response. */
  onAnswer?: ((answer: Answer) => void) | undefined;
};

/** Sends a request to a node and returns its response with any status. Throws a problem of the service. */
export async function askNode(
  transport: Transport,
  question: NodeRequest,
  { apiKey, call, onAnswer }: AskOptions,
): Promise<NodeReply> {
  try {
    const { answer, headers, text } = await transport.ask({ ...question, apiKey, toError }, call);
    onAnswer?.(answer);
    const blockHeight = headers.get('grpc-metadata-x-cosmos-block-height') ?? undefined;
    return { status: answer.status, body: parseJson(text), blockHeight };
  } catch (error) {
    if (error instanceof NodeAnswer) return error.reply;
    throw error;
  }
}

const FAULTS = {
  malformed: ['upstream_invalid', 502],
  too_large: ['upstream_invalid', 502],
  wrong_dialect: ['upstream_invalid', 502],
  unavailable: ['upstream_unavailable', 503],
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

/** A node behind the service: legacy shapes, and in addition searches of either dialect and transactions as bytes. */
export function createServiceAdapter(ask: SendToNode): NodeCalls {
  return {
    ...createLegacyAdapter(ask),
    prepare: async (request) => request,
    transactions: async (query) => legacySearch(answered(await ask({ method: 'GET', path: '/txs', query }))),
    async broadcast(request) {
      return legacyTransaction(answered(await ask({ method: 'POST', path: '/txs', query: [], body: request })));
    },
  };
}

/** A signed amino transaction, as made by `makeStdTx` of CosmJS. It is encoded for a modern node. */
export type StdTx = { msg: readonly unknown[]; fee: unknown; signatures: readonly unknown[]; memo?: string };

/** A signed transaction: its bytes (`TxRaw`), these bytes in base64, or an amino `StdTx`. */
export type SignedTransaction = Uint8Array | string | StdTx;

/** In bytes. A signature alone has 64, so shorter input may be a key. */
const SHORTEST = 65;

function bytesOf(text: string): string {
  try {
    return atob(text);
  } catch {
    throw invalid('a transaction must be bytes, base64, or an amino StdTx');
  }
}

/** Throws `QuotientError` if the input is not a signed transaction. The error never repeats the input. */
export function readSigned(tx: SignedTransaction): Pick<BroadcastRequest, 'tx' | 'tx_bytes'> {
  if (tx instanceof Uint8Array || typeof tx === 'string') {
    refuseSecret('the transaction', tx);
    const text = typeof tx === 'string' ? btoa(bytesOf(tx)) : toBase64(tx);
    if (bytesOf(text).length < SHORTEST) throw invalid('too short for a signed transaction; never pass a key');
    return { tx_bytes: text };
  }
  if (typeof tx !== 'object' || tx === null) throw invalid('the transaction is missing');
  refuseSecretMembers('the transaction', tx);
  if (!Array.isArray(tx.msg) || !Array.isArray(tx.signatures) || tx.signatures.length === 0) {
    throw invalid('an amino StdTx has msg, fee and signatures: sign it first');
  }
  return { tx };
}

/** Undefined for amino, whose hash only the node knows. */
export async function hashOf({ tx_bytes }: Pick<BroadcastRequest, 'tx_bytes'>): Promise<string | undefined> {
  return tx_bytes === undefined ? undefined : txHashOf(tx_bytes).catch(() => undefined);
}
