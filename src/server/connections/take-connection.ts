import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Writes the head of a response with the first bytes of its body, and takes the connection from Node's HTTP server. For
 * Node and the framework, the response is then complete, so that no part of the request stays in memory. `take` writes
 * the rest of the body, which ends when the connection ends. `take` is not called if the connection closes first.
 */
export function takeConnection(response: ServerResponse, first: string, take: (socket: Socket) => void): void {
  const socket = response.socket as Socket;
  // Node would end the connection after its last response.
  socket.destroySoon = () => undefined;
  response.once('finish', () => {
    // On `resume`, Node's listener continues to read. On `close`, its listener releases the parser and aborts the
    // requests that wait behind this request. An aborted request would destroy its connection.
    socket.destroy = () => socket;
    socket.emit('resume');
    socket.emit('close', false);
    socket.removeAllListeners();
    const { destroy, destroySoon } = Socket.prototype;
    Object.assign(socket, { destroy, destroySoon });
    take(socket);
  });
  response.end(first);
}
