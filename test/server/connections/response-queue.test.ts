import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createResponseQueue } from '#server/connections/response-queue';

/** More data than an unread connection buffers. */
const LONG = Buffer.alloc(64 * 1024 * 1024, 'x');

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server whose responses are queued. A rejected response is a 503. */
async function serve(queue: ReturnType<typeof createResponseQueue>) {
  const server = createServer(async (_request, response) => {
    try {
      await queue.enter(response);
      server.emit('began');
      response.end(LONG);
    } catch {
      response.writeHead(503).end();
    }
  });
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    ask: () => fetch(`http://127.0.0.1:${port}`),
    /** Sends a request and never reads the response. Resolves when the response has started. */
    async hold() {
      const beginning = once(server, 'began');
      const socket = connect(port, '127.0.0.1').pause();
      closers.push(() => socket.destroy());
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await beginning;
      return socket;
    },
  };
}

test('disconnects a slow reader when another response waits, the earliest reader first', async () => {
  const queue = createResponseQueue({ atOnce: 2, waiting: 5, patience: 20 });
  const server = await serve(queue);
  const [first, second] = [await server.hold(), await server.hold()];
  const cut = once(first, 'close');
  const response = await server.ask();
  expect((await response.arrayBuffer()).byteLength).toBe(LONG.length);
  first.on('error', () => undefined).resume();
  await cut;
  expect(second.destroyed).toBe(false);
});
