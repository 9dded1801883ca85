import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Starts a proxy to a PostgreSQL server that can stall. While it is stalled, it silently loses data on existing and new
 * connections. `resume` forwards new connections. Old connections remain stalled, as in a network that has lost their
 * state.
 */
export async function startStallingProxy(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isStalled = false;
  const open = new Set<() => void>();

  // Without Nagle's algorithm, a replica's short messages do not wait 40 ms for an acknowledgement.
  const server = createServer({ noDelay: true }, (near) => {
    sockets.add(near);
    near.on('error', () => {}).on('close', () => sockets.delete(near));
    if (isStalled) return;
    const far = connect({ port: Number(port), host: hostname, noDelay: true });
    sockets.add(far);
    far.on('error', () => near.destroy()).on('close', () => sockets.delete(far));
    near.on('close', () => far.destroy());
    far.on('end', () => near.end());
    near.pipe(far);
    far.pipe(near);
    open.add(() => {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    stall(): void {
      isStalled = true;
      for (const stop of open) stop();
      open.clear();
    },
    resume(): void {
      isStalled = false;
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
