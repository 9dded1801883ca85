import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createLingering } from '#server/connections/lingering';

const MINUTE = 60_000;

/** Opens this many lingering connections at the same time. */
async function lingering(ms: number, count: number): Promise<{ sockets: Socket[]; close: () => void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const peers = await Promise.all(
    Array.from({ length: count }, async () => {
      const peer = connect(port, '127.0.0.1').on('error', () => undefined);
      await once(peer, 'connect');
      return peer;
    }),
  );
  while (sockets.length < count) await once(server, 'connection');
  const linger = createLingering(ms);
  for (const socket of sockets) linger(socket.pause());
  const close = () => {
    for (const socket of [...sockets, ...peers]) socket.destroy();
    server.close();
  };
  return { sockets, close };
}

it('closes the connections that linger longest if there are more than 256, even if all start at the same time', async () => {
  const { sockets, close } = await lingering(MINUTE, 260);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([
    ...Array<boolean>(4).fill(true),
    ...Array<boolean>(256).fill(false),
  ]);
  close();
});

it('closes a connection when its time is over', async () => {
  const { sockets, close } = await lingering(10, 1);
  await once(sockets[0] as Socket, 'close');
  expect(sockets[0]?.destroyed).toBe(true);
  close();
});
