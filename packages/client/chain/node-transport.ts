import { NodeFault, type NodeQuestion, NodeRejection, type NodeReply } from '../../cosmos/exchange.ts';
import { QuotientError } from '../core/error.ts';
import { type Answer, factsOf, parseJson, problemOf } from '../transport/answer.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';

/** A node's answer outside 2xx, which the adapter reads. */
class NodeAnswer extends QuotientError {
  readonly reply: NodeReply;

  constructor(response: Response, body: unknown) {
    super('invalid_answer', `the node answered ${response.status}`, factsOf(response));
    this.reply = { status: response.status, body };
  }
}

function toError(response: Response, text: string): QuotientError {
  // A problem of the service in front of the node.
  if (response.headers.get('content-type')?.startsWith('application/problem+json')) {
    return problemOf(response, text);
  }
  return new NodeAnswer(response, parseJson(text));
}

type AskOptions = {
  apiKey?: string | undefined;
  call?: CallOptions | undefined;
  /** Called with what is told of an answer with 2xx. */
  onAnswer?: ((answer: Answer) => void) | undefined;
};

/** Sends a request to a node and returns its answer whatever the status; a problem of the service is thrown. */
export async function askNode(
  transport: Transport,
  question: NodeQuestion,
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

/** A node's rejection or fault as the error that the service would give. */
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
