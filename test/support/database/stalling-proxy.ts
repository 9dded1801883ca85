import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A way to a server of PostgreSQL that can stop: what is sent on the connections there are, and on those that come
 * while it is stalled, is lost without a notice. `resume` lets new connections through; the old ones stay
 * as they are, like those of a network that forgot them.
 */
export async function startStallingProxy(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isStalled = false;
  const open = new Set<() => void>();

  const server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => {}).on('close', () => sockets.delete(near));
    if (isStalled) return;
    const far = connect(Number(port), hostname);
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
