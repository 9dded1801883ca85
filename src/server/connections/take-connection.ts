import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Writes the head of a response with the first bytes of its body, and takes the connection from Node's HTTP server. For
 * Node and the framework, the response is then complete, so that nothing of the request stays in memory. `take` writes the
 * rest of the body, which the end of the connection ends. It is not called if the connection closes first.
 */
export function takeConnection(response: ServerResponse, first: string, take: (socket: Socket) => void): void {
  const socket = response.socket as Socket;
  // Node would end the connection after its last response.
  socket.destroySoon = () => undefined;
  response.once('finish', () => {
    socket.destroySoon = Socket.prototype.destroySoon;
    // Node's listeners release the parser, and drop requests that wait behind this one.
    socket.emit('close', false);
    socket.removeAllListeners();
    take(socket);
  });
  response.end(first);
}
