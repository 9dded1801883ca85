import { NodeFault, type NodeQuestion, NodeRejection, type NodeReply } from '../../domain/cosmos/exchange.ts';
import { type Answer, parseJson, problemOf } from '../answer.ts';
import { QuotientError } from '../error.ts';
import type { Transport } from '../transport.ts';

/** A node's answer outside 2xx, which the adapter reads. */
class NodeAnswer extends QuotientError {
  readonly reply: NodeReply;

  constructor(reply: NodeReply) {
    super('invalid_answer', `the node answered ${reply.status}`, { status: reply.status });
    this.reply = reply;
  }
}

function toError(response: Response, text: string): QuotientError {
  // A problem of the service in front of the node.
  if (response.headers.get('content-type')?.startsWith('application/problem+json')) {
    return problemOf(response, text);
  }
  return new NodeAnswer({ status: response.status, body: parseJson(text) });
}

type AskOptions = {
  withKey: boolean;
  signal?: AbortSignal | undefined;
  /** Called with what is told of an answer with 2xx. */
  onAnswer?: ((answer: Answer) => void) | undefined;
};

/** Sends a request to a node and returns its answer whatever the status; a problem of the service is thrown. */
export async function askNode(
  transport: Transport,
  question: NodeQuestion,
  { withKey, signal, onAnswer }: AskOptions,
): Promise<NodeReply> {
  try {
    const { answer, headers, text } = await transport.ask({ ...question, withKey, signal, toError });
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
