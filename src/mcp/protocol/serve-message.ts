import type { Exchange, LegacyResponse, Protocol, ProtocolHeaders } from './protocol.ts';
import { isObject } from './read-message.ts';

type Message = { id?: unknown; method?: unknown; params?: unknown };

/** The revisions in which a call needs only a name and arguments. */
const REVISIONS: readonly unknown[] = [undefined, '2025-03-26', '2025-06-18', '2025-11-25'];
/** nginx's status for a client that has disconnected. */
const CLIENT_GONE = 499;

/**
 * Calls a tool if the message is a call of the 2025 revisions that contains only a name and arguments. Returns undefined
 * for any other message, and for an unknown tool. The SDK would validate the message three times to find its revision,
 * create a server, and check the arguments and the result, which `runTool` has checked.
 */
function callTool({ id, method, params }: Message, revision: unknown, { call }: Exchange): Promise<string> | undefined {
  if (method !== 'tools/call' || !isObject(params) || !REVISIONS.includes(revision)) return undefined;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  const { name, arguments: given = {}, ...rest } = params;
  if (typeof name !== 'string' || !isObject(given) || Object.keys(rest).length > 0) return undefined;
  return call(name, given)?.then((result) => `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`);
}

/** Serves messages. The SDK is loaded for the first message that needs it, because it takes 5 MB of memory. */
export function createMessageServer() {
  let protocol: Promise<Protocol> | undefined;

  function open(): Promise<Protocol> {
    protocol ??= import('./protocol.ts').then(({ createProtocol }) => createProtocol());
    return protocol;
  }

  return {
    async serve(headers: ProtocolHeaders, message: object, exchange: Exchange): Promise<LegacyResponse> {
      try {
        const called = callTool(message, headers['mcp-protocol-version'], exchange);
        if (called) return { status: 200, text: await called };
        return await (await open()).serve(headers, message, exchange);
      } catch (error) {
        if (exchange.signal().aborted) return { status: CLIENT_GONE, text: '' };
        throw error;
      }
    },

    close: async () => (await protocol)?.close(),
  };
}
