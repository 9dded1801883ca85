import {
  classifyInboundRequest,
  createMcpHandler,
  isJsonContentType,
  type JSONRPCRequest,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { Problem } from '#core/problems';
import { type LegacyResponse, serveLegacy } from './protocol-2025.ts';
import { type Exchange, serverOf } from './protocol-server.ts';

type ProtocolHeaders = Readonly<Record<string, unknown>>;

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

/** Serves the current revision of the protocol and those of 2025, without sessions, streams and subscriptions. */
export function createProtocol() {
  const modern = createMcpHandler(({ authInfo }) => serverOf(authInfo?.extra?.exchange as Exchange), {
    legacy: 'reject',
    maxSubscriptions: 0,
    keepAliveMs: 0,
  });

  return {
    /** `body` is the parsed message. `signal` aborts when the client disconnects. */
    async serve(
      headers: ProtocolHeaders,
      body: object,
      exchange: Exchange,
      signal: AbortSignal,
    ): Promise<LegacyResponse> {
      if (!isJsonContentType(textIn(headers['content-type']) ?? null))
        throw new Problem('unsupported_media_type', 'Send the body as application/json.');
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
        return isRequest ? serveLegacy(body as JSONRPCRequest, revision, exchange, signal) : { status: 202, text: '' };
      }
      const { method, id } = body as JSONRPCRequest;
      if (outcome.kind === 'modern' && method === 'subscriptions/listen' && id !== undefined)
        return refuseSubscription(id);
      const authInfo = { token: '', clientId: '', scopes: [], extra: { exchange } };
      const response = await modern.fetch(toWebRequest(headers, signal), { authInfo, parsedBody: body });
      return { status: response.status, text: await response.text() };
    },
    close: modern.close,
  };
}
