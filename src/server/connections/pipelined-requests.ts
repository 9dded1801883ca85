import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests may wait on a connection for the answers before them. */
const WAITING = 32;

/** What reads a connection. Node does not publish it, and it is left alone where it is another. */
type Parsed = { parser?: { onIncoming?: () => number } | null };

/**
 * Hangs up. The parser would go on to the end of what it was given, a request for every 27 bytes of 64 KB: told that
 * the rest is another protocol (2), it stops.
 */
function cut(socket: Socket): void {
  const { parser } = socket as Socket & Parsed;
  if (parser?.onIncoming) parser.onIncoming = () => 2;
  socket.destroy();
}

/**
 * Hands on the requests of a connection one after another, each in a turn of the loop of its own, however many arrive
 * in one piece (RFC 9112, 9.3.2): so nobody has more under way, or is served sooner, by sending them together.
 */
export function createPipelines() {
  const waiting = new WeakMap<Socket, number>();

  return function inTurn(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    // Node gives the connection to the answer whose turn it is.
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
