import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Starts a balancer that passes each connection to the first server that accepts it. */
export async function startBalancer(urls: readonly string[]) {
  const ports = urls.map((url) => Number(new URL(url).port));
  const sockets = new Set<Socket>();

  function pass(near: Socket, [port, ...others]: readonly number[]): void {
    if (port === undefined) return void near.destroy();
    const far = connect(port, '127.0.0.1');
    far.once('error', () => {
      far.destroy();
      pass(near, others);
    });
    far.once('connect', () => {
      sockets.add(far);
      far.removeAllListeners('error').on('error', () => near.destroy());
      far.on('close', () => near.destroy());
      near.on('close', () => far.destroy());
      near.pipe(far).pipe(near);
    });
  }
  const server = createServer({ noDelay: true }, (near) => {
    sockets.add(near);
    near.on('error', () => undefined);
    pass(near, ports);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
