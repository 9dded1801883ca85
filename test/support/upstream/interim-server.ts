import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The number of interim responses in one write: about 30 KB, which arrive together. */
const BURST = 1_000;

/**
 * Starts a server on 127.0.0.1 that sends interim responses (RFC 9110, 15.2) before its final response, `{}` as JSON.
 * @param head the status line of an interim response and its headers, without the empty line after them
 * @param count the number of interim responses, in one write: at most `BURST`, or endless for `Infinity`
 */
export async function startInterimServer(head: string, count: number) {
  const sockets = new Set<Socket>();
  const burst = Buffer.from(`${head}\r\n\r\n`.repeat(Math.min(count, BURST)));
  let requests = 0;

  function respond(socket: Socket): void {
    let left = count;
    const send = () => {
      while (left > 0 && !socket.destroyed) {
        left -= BURST;
        if (!socket.write(burst)) return;
      }
      if (!socket.destroyed) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    };
    socket.on('drain', send);
    send();
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      requests += 1;
      respond(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
