import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Starts a server that rejects every connection with one PostgreSQL error, given by SQLSTATE, on a free or a given
 * port.
 */
export async function startRefusingServer(sqlState: string, message: string, port = 0) {
  const fields = [`SFATAL`, `C${sqlState}`, `M${message}`, ''].map((field) => `${field}\0`).join('');
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(4 + fields.length, 1);
  let count = 0;
  const asked = new Set<() => void>();
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.end(Buffer.concat([head, Buffer.from(fields)]));
      count += 1;
      for (const received of asked) received();
    });
    socket.on('error', () => {});
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    at: `127.0.0.1:${own}`,
    url: `postgresql://someuser:hunter2@127.0.0.1:${own}/quotient`,
    /** Resolves after this many connections. */
    asked: (times: number) =>
      new Promise<void>((resolve) => {
        const received = () => count >= times && resolve();
        asked.add(received);
        received();
      }),
    close: () => new Promise((closed) => server.close(closed)),
  };
}
