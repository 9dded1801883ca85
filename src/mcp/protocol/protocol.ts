import {
  type CallToolResult,
  classifyInboundRequest,
  createMcpHandler,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerOptions,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/server';
import { MINUTE } from '#core/clock';
import { untilAborted } from '#core/until-aborted';
import { VERSION } from '#core/version';

const INFO = { name: 'quotient', title: 'Quotient', version: VERSION };

const OPTIONS: ServerOptions = {
  capabilities: { tools: {} },
  instructions:
    "Prices, history, candles and on-chain statistics of crypto assets, from the operator's archive. All dates are UTC. " +
    'A token is named by its name or symbol. An error states what to change. The allowance is limited: request several ' +
    'tokens in one call, and the coarsest interval that answers the question.',
  cacheHints: { 'tools/list': { ttlMs: MINUTE, cacheScope: 'private' } },
  // It validates only the user's answers to a server's questions, and this server asks no questions. The default
  // compiles a validator for each request.
  jsonSchemaValidator: {
    getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not supported' }),
  },
};

/** A message and its response. */
export type Exchange = {
  list(): ListToolsResult['tools'];
  /** Returns a `CallToolResult` as JSON, and undefined for an unknown tool. */
  call(name: string, input: Record<string, unknown>): Promise<string> | undefined;
  /** Returns a signal that aborts when the client disconnects. */
  signal(): AbortSignal;
};

const unknownTool = () =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'This tool does not exist. tools/list returns all tools.');

/** A server for one request: the endpoint has no sessions. */
function serverOf({ list, call }: Exchange): Server {
  const server = new Server(INFO, OPTIONS);
  server.setRequestHandler('tools/list', () => ({ tools: list() }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const result = call(params.name, params.arguments ?? {});
    if (result === undefined) throw unknownTool();
    return result.then((text): CallToolResult => JSON.parse(text));
  });
  return server;
}

/** `text` is the body; empty if there is none. */
export type LegacyResponse = { status: number; text: string };

/**
 * Serves a request of the 2025 revisions. The SDK's handler would answer with an event stream, and its transport for
 * JSON takes 165 µs of CPU time per call, mostly for web requests and responses. This transport takes 30 µs.
 */
async function respondToLegacy(message: JSONRPCRequest, exchange: Exchange): Promise<string> {
  const server = serverOf(exchange);
  const responded = Promise.withResolvers<JSONRPCMessage>();
  const transport: Transport = {
    start: async () => undefined,
    // Nothing else is sent: the tools send no notifications.
    send: async (sent) => responded.resolve(sent),
    close: async () => transport.onclose?.(),
  };
  await server.connect(transport);
  transport.onmessage?.(message);
  try {
    return JSON.stringify(await untilAborted(responded.promise, exchange.signal()));
  } catch (error) {
    // Aborts the call. After a response, there is nothing to close.
    await server.close();
    throw error;
  }
}

async function serveLegacy(
  message: JSONRPCRequest,
  revision: string | undefined,
  exchange: Exchange,
): Promise<LegacyResponse> {
  // A client negotiates the revision when it initializes, and names the revision in its other requests.
  if (message.method !== 'initialize' && revision !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(revision)) {
    const supported = `supported revisions: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`;
    const error = { code: ProtocolErrorCode.InvalidRequest, message: `Unsupported protocol revision (${supported})` };
    return { status: 400, text: JSON.stringify({ jsonrpc: '2.0', id: message.id, error }) };
  }
  return { status: 200, text: await respondToLegacy(message, exchange) };
}

export type ProtocolHeaders = Readonly<Record<string, unknown>>;

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The SDK sees only the headers of the protocol, and never the key. */
function toWebRequest(headers: ProtocolHeaders, signal: AbortSignal): Request {
  const names = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];
  const sentHeaders = names.flatMap((name): [string, string][] => {
    const value = textIn(headers[name]);
    return value === undefined ? [] : [[name, value]];
  });
  const types: [string, string][] = [
    ['content-type', 'application/json'],
    ['accept', 'application/json, text/event-stream'],
  ];
  return new Request('http://localhost/mcp', { method: 'POST', headers: [...types, ...sentHeaders], signal });
}

/** The SDK would answer with an internal error, which clients retry. Its status for unknown methods is 404. */
function refuseSubscription(id: JSONRPCRequest['id']): LegacyResponse {
  const error = { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' };
  return { status: 404, text: JSON.stringify({ jsonrpc: '2.0', id, error }) };
}

/**
 * Serves the current revision of the protocol and the revisions of 2025, without sessions, streams and subscriptions.
 */
export function createProtocol() {
  const modern = createMcpHandler(({ authInfo }) => serverOf(authInfo?.extra?.exchange as Exchange), {
    legacy: 'reject',
    maxSubscriptions: 0,
    keepAliveMs: 0,
  });

  return {
    /** `body` is the parsed message. */
    async serve(headers: ProtocolHeaders, body: object, exchange: Exchange): Promise<LegacyResponse> {
      const revision = textIn(headers['mcp-protocol-version']);
      const mcpMethodHeader = textIn(headers['mcp-method']);
      const outcome = classifyInboundRequest({
        httpMethod: 'POST',
        body,
        ...(revision !== undefined && { protocolVersionHeader: revision }),
        ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
      });
      if (outcome.kind === 'legacy') {
        const isRequest = outcome.reason === 'initialize' || outcome.reason === 'no-claim';
        // Notifications and responses of clients have no effect without a session.
        return isRequest ? serveLegacy(body as JSONRPCRequest, revision, exchange) : { status: 202, text: '' };
      }
      const { method, id } = body as JSONRPCRequest;
      if (outcome.kind === 'modern' && method === 'subscriptions/listen' && id !== undefined)
        return refuseSubscription(id);
      const authInfo = { token: '', clientId: '', scopes: [], extra: { exchange } };
      const response = await modern.fetch(toWebRequest(headers, exchange.signal()), { authInfo, parsedBody: body });
      return { status: response.status, text: await response.text() };
    },
    close: modern.close,
  };
}

export type Protocol = ReturnType<typeof createProtocol>;
