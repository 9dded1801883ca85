import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that may wait for earlier responses. */
const WAITING = 32;

/** The parser of a connection. Node does not publish it, so another shape is left alone. */
type Parsed = { parser?: { onIncoming?: () => number } | null };

/**
 * Hangs up. The parser would continue to the end of its input, with a request for every 27 bytes of 64 KB. The return
 * value 2 (another protocol follows) stops it.
 */
function cut(socket: Socket): void {
  const { parser } = socket as Socket & Parsed;
  if (parser?.onIncoming) parser.onIncoming = () => 2;
  socket.destroy();
}

/**
 * Passes on the requests of a connection one after another, each in its own turn of the event loop, even if they arrive
 * in one piece (RFC 9112, 9.3.2). So pipelining gives a client no advantage.
 */
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
