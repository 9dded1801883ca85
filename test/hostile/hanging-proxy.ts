import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a server. While it hangs, it forwards no data in either direction and closes no connection. */
export async function startHangingProxy(target: URL) {
  const sockets = new Set<Socket>();
  let isHanging = false;
  const server = createServer((socket) => {
    const onward = connect(Number(target.port || 5432), target.hostname);
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => to.write(data));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isHanging) from.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    hang(): void {
      isHanging = true;
      for (const socket of sockets) socket.pause();
    },
    resume(): void {
      isHanging = false;
      for (const socket of sockets) socket.resume();
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
