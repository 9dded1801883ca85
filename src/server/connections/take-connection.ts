import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Writes the head of a response with the first bytes of its body, and takes the connection from Node's HTTP server, for
 * which the response is then complete. `take` writes the rest, and is not called if the connection closes first.
 */
export function takeConnection(response: ServerResponse, first: string, take: (socket: Socket) => void): void {
  const socket = response.socket as Socket;
  // Node would end the connection after its last response.
  socket.destroySoon = () => undefined;
  response.once('finish', () => {
    // On `resume`, Node's listener continues to read. On `close`, it releases the parser and aborts waiting requests.
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
