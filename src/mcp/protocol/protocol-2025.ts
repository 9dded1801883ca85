import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/server';
import { untilAborted } from '#core/until-aborted';
import { type Exchange, serverOf } from './protocol-server.ts';

/** nginx's status for a client that has disconnected. */
const CLIENT_GONE = 499;

/** `text` is the body; empty if there is none. */
export type LegacyResponse = { status: number; text: string };

/**
 * Serves a request of the 2025 revisions. The SDK's handler would answer with an event stream, and its transport for
 * JSON takes 165 µs of CPU time per call, mostly for web requests and responses. This transport takes 30 µs.
 */
async function respondToLegacy(
  message: JSONRPCRequest,
  exchange: Exchange,
  signal: AbortSignal,
): Promise<LegacyResponse> {
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
    return { status: 200, text: JSON.stringify(await untilAborted(responded.promise, signal)) };
  } catch (error) {
    // Aborts the call. After a response, there is nothing to close.
    await server.close();
    if (signal.aborted) return { status: CLIENT_GONE, text: '' };
    throw error;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Calls a tool if the message contains only its name and arguments. Returns undefined for any other message, and for an
 * unknown tool. The SDK would create a server, and check the arguments and the result, which `runTool` has checked.
 */
function callTool({ id, method, params }: JSONRPCRequest, exchange: Exchange, signal: AbortSignal) {
  if (method !== 'tools/call' || !isRecord(params)) return undefined;
  const { name, arguments: given = {}, ...rest } = params;
  if (typeof name !== 'string' || !isRecord(given) || Object.keys(rest).length > 0) return undefined;
  const call = exchange.call(name, given, signal);
  return call?.then(
    (result) => ({ status: 200, text: JSON.stringify({ result, jsonrpc: '2.0', id }) }),
    (error) => {
      if (signal.aborted) return { status: CLIENT_GONE, text: '' };
      throw error;
    },
  );
}

export function serveLegacy(
  message: JSONRPCRequest,
  revision: string | undefined,
  exchange: Exchange,
  signal: AbortSignal,
): LegacyResponse | Promise<LegacyResponse> {
  // A client negotiates the revision when it initializes, and names the revision in its other requests.
  if (message.method === 'initialize' || revision === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(revision))
    return callTool(message, exchange, signal) ?? respondToLegacy(message, exchange, signal);
  const supported = `supported revisions: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`;
  const error = { code: ProtocolErrorCode.InvalidRequest, message: `Unsupported protocol revision (${supported})` };
  return { status: 400, text: JSON.stringify({ jsonrpc: '2.0', id: message.id, error }) };
}
