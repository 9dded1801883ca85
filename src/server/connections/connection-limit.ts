import type { Server } from 'node:http';
import type { Socket } from 'node:net';

type Options = {
  /** The number of connections from which each new connection causes another connection to be closed. */
  most: number;
  /** The client of a connection. Undefined for a proxy, because its connections belong to many clients. */
  clientOf: (socket: Socket) => string | undefined;
  isIdle: (socket: Socket) => boolean;
};

function firstIdle(sockets: Iterable<Socket>, newest: Socket, isIdle: Options['isIdle']): Socket | undefined {
  for (const socket of sockets) if (socket !== newest && isIdle(socket)) return socket;
  return undefined;
}

/**
 * At the limit, the client with the most connections loses its oldest idle connection. If all of them are in use, an
 * idle connection of another client is closed. If there is none, the client with the most connections loses its newest
 * connection. Streams have their own limits.
 */
export function limitConnections(server: Server, { most, clientOf, isIdle }: Options): void {
  const byClient = new Map<string, Set<Socket>>();

  function* all(): Iterable<Socket> {
    for (const sockets of byClient.values()) yield* sockets;
  }

  function makeRoom(newest: Socket, client: string | undefined): void {
    let crowd = byClient.get(client ?? '') ?? new Set();
    for (const sockets of byClient.values()) if (sockets.size > crowd.size) crowd = sockets;
    const closed = firstIdle(crowd, newest, isIdle) ?? firstIdle(all(), newest, isIdle) ?? [...crowd].at(-1);
    closed?.destroy();
  }

  server.on('connection', (socket) => {
    const client = clientOf(socket);
    if (client !== undefined) {
      const sockets = byClient.get(client) ?? new Set();
      byClient.set(client, sockets.add(socket));
      socket.once('close', () => {
        sockets.delete(socket);
        if (sockets.size === 0 && byClient.get(client) === sockets) byClient.delete(client);
      });
    }
    server.getConnections((_error, open) => {
      if (open >= most) makeRoom(socket, client);
    });
  });
}
