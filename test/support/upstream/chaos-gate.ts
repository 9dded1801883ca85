import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP gate in front of an upstream. It forwards bytes, closes and resets. It can be shut so that connections are
 * refused. It counts open connections and forwarded bytes.
 */
export async function startGate() {
  let target: { host: string; port: number } | undefined;
  const open = new Set<Socket>();
  const watchers = new Set<() => void>();
  let bytes = 0;
  let port = 0;
  let server: Server | undefined;

  function admit(inside: Socket): void {
    open.add(inside);
    inside.once('close', () => {
      open.delete(inside);
      for (const watch of watchers) watch();
    });
    const outside = connect({ host: target?.host ?? '127.0.0.1', port: target?.port ?? 0 });
    outside.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    inside.pipe(outside);
    outside.pipe(inside);
    inside.on('error', () => outside.destroy()).on('close', () => outside.destroy());
    outside.on('error', () => inside.resetAndDestroy()).on('close', () => inside.end());
  }

  async function listen(): Promise<void> {
    server = createServer(admit).listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }

  async function shut(): Promise<void> {
    const closing = server;
    server = undefined;
    if (!closing) return;
    const closed = once(closing, 'close');
    closing.close();
    for (const socket of open) socket.destroy();
    await closed;
  }

  await listen();
  return {
    url: `http://127.0.0.1:${port}`,
    /** Sets the target. */
    to(url: string): void {
      const { hostname: host, port: number } = new URL(url);
      target = { host, port: Number(number) };
    },
    /** Rejects new connections and closes existing ones, until `reopen`. */
    shut,
    reopen: listen,
    /** The number of open connections. */
    connections: () => open.size,
    /** Resolves when at most `count` connections are open. */
    async atMost(count: number): Promise<void> {
      if (open.size <= count) return;
      await new Promise<void>((resolve) => {
        const watch = () => {
          if (open.size > count) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
      });
    },
    /** The number of bytes that the upstream has sent. */
    bytes: () => bytes,
    close: shut,
  };
}

export type Gate = Awaited<ReturnType<typeof startGate>>;
