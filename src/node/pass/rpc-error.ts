import type { Problem } from '#core/problems';
import { problemText } from './rest-errors.ts';

export const RPC = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603, server: -32000 };

export type RpcId = string | number | null;

/** A call that is rejected. `message` never repeats the client's input. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
  readonly code: number;
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const rpcError = (id: RpcId, { code, message, data }: Pick<RpcFault, 'code' | 'message' | 'data'>): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });

/** Problems that concern the request as a whole. Clients of JSON-RPC hide the text of an error with such a status. */
const WHOLE: ReadonlySet<number> = new Set([401, 403, 405, 406, 408, 413, 414, 429, 431]);

export const isOfRequest = ({ status, code }: Problem): boolean => WHOLE.has(status) || code === 'overloaded';

/** The JSON-RPC error for a problem. */
export function faultOf(problem: Problem): RpcFault {
  const { code, members } = problem;
  const text = problemText(problem);
  if (code === 'node_not_configured') return new RpcFault(RPC.method, text);
  if (code === 'invalid_request') return new RpcFault(RPC.params, text);
  if (isOfRequest(problem)) return new RpcFault(RPC.server, text);
  if (code === 'node_rejected') return new RpcFault(RPC.internal, 'Internal error', text);
  return new RpcFault(RPC.internal, text, members.txhash);
}

const described = (description: string, message: string) => ({
  description,
  example: { jsonrpc: '2.0', id: null, error: { code: RPC.server, message } },
});

/** The errors that concern the request as a whole, for the OpenAPI document. */
export const RPC_ERRORS = {
  form: 'json-rpc',
  byStatus: {
    400: described('Invalid HTTP', 'The request is not valid HTTP.'),
    401: described('No valid key', 'The request contains no API key.'),
    403: described('The user is suspended, or the key cannot be used here', 'The key has no scope node.'),
    404: described('Unknown method in the URI form', 'The node has no WebSocket.'),
    405: described('The path does not support the method', 'This path supports only POST.'),
    406: described('The path returns only JSON', 'This path returns only application/json.'),
    408: described('The request arrived too slowly', 'The request was not complete in time.'),
    413: described('The body is too large', 'The body is too large.'),
    414: described('The URI is longer than 8 KB', 'The URI is longer than 8192 bytes.'),
    429: described('A limit is exceeded', 'You have sent too many requests in this second.'),
    431: described('The header fields are larger than 16 KB', 'The header fields are too large.'),
    500: described('An internal error', 'An internal error occurred.'),
    503: described('The user has too many concurrent calls', 'You already have 4 concurrent calls.'),
  },
} as const;
