import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createPipelines } from '#server/connections/server';

const WAITING = 32;

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A connection to a server that starts its requests in turn. */
async function open(handle: (response: ServerResponse) => void) {
  const inTurn = createPipelines();
  const server = createServer((request, response) => inTurn(request, response, () => handle(response)));
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('error', () => undefined).on('data', (data) => (text += data));
  return {
    isOpen: () => !socket.destroyed,
    answers: () => text.split('HTTP/1.1 200').length - 1,
    /** Sends a number of requests in one write. */
    send: (count: number) => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count)),
  };
}

test('a limited number of requests waits; one more closes the connection', async () => {
  const held: ServerResponse[] = [];
  const polite = await open((response) => held.push(response));
  polite.send(1 + WAITING);
  await expect.poll(() => held.length).toBe(1);
  const greedy = await open(() => undefined);
  greedy.send(1 + WAITING + 1);
  await expect.poll(greedy.isOpen, { timeout: 5_000 }).toBe(false);
  expect(polite.isOpen()).toBe(true);
  expect(held).toHaveLength(1);
});

test('a completed request makes room, however many preceded it', async () => {
  const { send, answers } = await open((response) => response.end());
  for (let sent = 20; sent <= 100; sent += 20) {
    send(20);
    await expect.poll(answers).toBe(sent);
  }
});

test('each request starts in a separate turn of the event loop', async () => {
  let [started, most] = [0, 0];
  const { send, answers } = await open((response) => {
    started += 1;
    most = Math.max(most, started);
    setImmediate(() => (started -= 1));
    response.end();
  });
  send(20);
  await expect.poll(answers).toBe(20);
  expect(most).toBe(1);
});
