import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests on a connection may wait for earlier responses. */
const WAITING = 32;

/** A connection's parser. Node does not document it, so any other object is left alone. */
type Parsed = { parser?: { onIncoming?: () => number } | null };

/**
 * The parser would continue with a request for every 27 bytes of 64 KB. Returning 2 (another protocol follows) stops
 * it.
 */
function cut(socket: Socket): void {
  const { parser } = socket as Socket & Parsed;
  if (parser?.onIncoming) parser.onIncoming = () => 2;
  socket.destroy();
}

/** Starts each request in its own turn of the event loop (RFC 9112, 9.3.2), so pipelining gives no advantage. */
export function createPipelines() {
  const waiting = new WeakMap<Socket, number>();

  return function inTurn(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    // Node assigns the connection to the response whose turn it is.
    if (response.socket !== null) {
      handle(request, response);
      return;
    }
    const { socket } = request;
    const before = waiting.get(socket) ?? 0;
    if (before >= WAITING) {
      cut(socket);
      return;
    }
    waiting.set(socket, before + 1);
    const begin = () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      if (!socket.destroyed) handle(request, response);
    };
    response.once('socket', () => setImmediate(begin));
  };
}
