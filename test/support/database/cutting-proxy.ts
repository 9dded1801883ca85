import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Starts a proxy to a PostgreSQL server that ends all connections instead of forwarding a message, and then rejects
 * connections until `resume` is called.
 * @param forwarded the number of messages that are forwarded first; one chunk of data counts as a message
 */
export async function startCuttingProxy(target: string, forwarded = Number.POSITIVE_INFINITY) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let count = 0;
  let isDown = false;

  const server = createServer({ noDelay: true }, (near) => {
    if (isDown) return near.destroy();
    const far = connect({ port: Number(port), host: hostname, noDelay: true });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
    }
    far.pipe(near);
    near.on('data', (chunk) => {
      count += 1;
      if (count !== forwarded + 1) return void far.write(chunk);
      isDown = true;
      for (const socket of sockets) socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    count: () => count,
    resume(): void {
      isDown = false;
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
