import {
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { MINUTE } from '#core/clock';
import { VERSION } from '#core/version';

const INFO = { name: 'quotient', title: 'Quotient', version: VERSION };

const OPTIONS: ServerOptions = {
  capabilities: { tools: {} },
  instructions:
    "Prices, history, candles and on-chain statistics of crypto assets, from the operator's archive. All dates are UTC. " +
    'A token is named by its name or symbol. An error states what to change. The allowance is limited: request several ' +
    'tokens in one call, and the coarsest interval that answers the question.',
  cacheHints: { 'tools/list': { ttlMs: MINUTE, cacheScope: 'private' } },
  // Only answers to questions to the user are validated with it, and this server asks none. The default compiles a
  // validator for each request.
  jsonSchemaValidator: {
    getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not supported' }),
  },
};

type CallResult = { content: { type: 'text'; text: string }[]; structuredContent?: object; isError?: boolean };

export type Exchange = {
  list(): ListToolsResult['tools'];
  /** Returns undefined for an unknown tool. */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallResult> | undefined;
};

const unknownTool = () =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'This tool does not exist. tools/list returns all tools.');

/** A server for one request: the endpoint has no sessions. */
export function serverOf({ list, call }: Exchange): Server {
  const server = new Server(INFO, OPTIONS);
  server.setRequestHandler('tools/list', () => ({ tools: list() }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq: { signal } }) => {
    const result = call(params.name, params.arguments ?? {}, signal);
    if (result === undefined) throw unknownTool();
    return result as Promise<CallResult & { structuredContent?: Record<string, unknown> }>;
  });
  return server;
}
