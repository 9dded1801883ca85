import {
  createMcpHandler,
  isLegacyRequest,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerOptions,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { MINUTE } from '#core/clock';
import { VERSION } from '#core/version';
import { untilAborted } from './until-aborted.ts';

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

/** The tools as one request may use them. */
export type Exchange = {
  list(): ListToolsResult['tools'];
  /** Returns undefined for an unknown tool. */
  call(name: string, given: Record<string, unknown>, signal: AbortSignal): Promise<CallResult> | undefined;
};

const unknownTool = () =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'This tool does not exist. tools/list returns all tools.');

/** A server for one request: the endpoint has no sessions. */
function serverOf({ list, call }: Exchange): Server {
  const server = new Server(INFO, OPTIONS);
  server.setRequestHandler('tools/list', () => ({ tools: list() }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq: { signal } }) => {
    const result = call(params.name, params.arguments ?? {}, signal);
    if (result === undefined) throw unknownTool();
    return result as Promise<CallResult & { structuredContent?: Record<string, unknown> }>;
  });
  return server;
}

/** nginx's status for a client that has disconnected. */
const CLIENT_GONE = 499;

/** Serves clients of the 2025 revisions, which the SDK's own handler would answer with streams. */
async function serveLegacy(request: Request, body: object, exchange: Exchange): Promise<Response> {
  const server = serverOf(exchange);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await untilAborted(transport.handleRequest(request, { parsedBody: body }), request.signal);
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: CLIENT_GONE });
    throw error;
  } finally {
    await server.close();
  }
}

/** Serves the current revision of the protocol and those of 2025, without sessions, streams and subscriptions. */
export function createProtocol() {
  const modern = createMcpHandler(({ authInfo }) => serverOf(authInfo?.extra?.exchange as Exchange), {
    legacy: 'reject',
    maxSubscriptions: 0,
    keepAliveMs: 0,
  });

  return {
    async serve(request: Request, body: object, exchange: Exchange): Promise<Response> {
      if (await isLegacyRequest(request, body)) return serveLegacy(request, body, exchange);
      const authInfo = { token: '', clientId: '', scopes: [], extra: { exchange } };
      return modern.fetch(request, { authInfo, parsedBody: body });
    },
    close: modern.close,
  };
}

export type Protocol = ReturnType<typeof createProtocol>;
