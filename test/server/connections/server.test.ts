import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { limitConnections } from '#server/connections/connection-limit';
import { createLingering } from '#server/connections/lingering';
import { createPendingResponses, createPipelines } from '#server/connections/server';

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A connection to a server that starts its requests in turn. */
async function open(handle: (response: ServerResponse) => void, limits?: { each: number; more: number }) {
  const inTurn = createPipelines(createLingering(60_000), limits);
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
    text: () => text,
    ended: once(socket, 'end'),
    connect: () => connect((server.address() as AddressInfo).port, '127.0.0.1'),
    responses: () => text.split('HTTP/1.1 200').length - 1,
    /** Sends a number of requests in one write. */
    send: (count: number, header = '') => socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n`.repeat(count)),
  };
}

test('a client that sends hundreds of requests in one write receives all responses', async () => {
  const { send, responses, isOpen } = await open((response) => response.end());
  send(700);
  await expect.poll(responses).toBe(700);
  expect(isOpen()).toBe(true);
  // In pieces, while the connection is not read.
  for (let n = 0; n < 5; n++) send(700, `X-Api-Key: ${'x'.repeat(64)}\r\n`);
  await expect.poll(responses, { timeout: 10_000 }).toBe(4_200);
});

test('above the limits, the responses to the requests before arrive, and the last one closes the connection', async () => {
  const { send, responses, text, ended } = await open((response) => response.end(), { each: 4, more: 8 });
  send(100);
  await ended;
  // One in progress, four waiting, eight more, and the last one.
  expect(responses()).toBe(14);
  expect(
    text()
      .match(/^connection: .*$/gim)
      ?.map((line) => line.slice(12)),
  ).toEqual([...Array(13).fill('keep-alive'), 'close']);
});

test('the requests that wait on a closed connection make room for those of another', async () => {
  const held: ServerResponse[] = [];
  const { connect, responses, send, isOpen } = await open((response) => held.push(response), { each: 1, more: 4 });
  for (let n = 0; n < 3; n++) {
    const other = connect().on('error', () => undefined);
    other.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(6));
    await expect.poll(() => held.length).toBe(n + 1);
    held[n]?.destroy();
    await once(other, 'close');
  }
  held.length = 0;
  send(6);
  for (let n = 0; n < 6; n++) {
    await expect.poll(() => held.length).toBe(n + 1);
    held[n]?.end();
  }
  await expect.poll(responses).toBe(6);
  expect(isOpen()).toBe(true);
});

test('a completed request makes room, however many preceded it', async () => {
  const { send, responses } = await open((response) => response.end());
  for (let sent = 20; sent <= 100; sent += 20) {
    send(20);
    await expect.poll(responses).toBe(sent);
  }
});

test('each request starts in a separate turn of the event loop', async () => {
  let [started, most] = [0, 0];
  const { send, responses } = await open((response) => {
    started += 1;
    most = Math.max(most, started);
    setImmediate(() => (started -= 1));
    response.end();
  });
  send(20);
  await expect.poll(responses).toBe(20);
  expect(most).toBe(1);
});

describe('the limit of connections', () => {
  /** A server with a limit. The client of a connection is the address from which it was opened. */
  async function openLimited(most: number) {
    const pending = createPendingResponses();
    const held: ServerResponse[] = [];
    const server = createServer((request, response) => {
      if (request.url === '/held') held.push(response);
      else response.end();
      pending.track(request, response);
    });
    server.maxConnections = most;
    const clientOf = ({ remoteAddress }: Socket) => (remoteAddress === '127.0.0.9' ? undefined : remoteAddress);
    limitConnections(server, { most, clientOf, isIdle: pending.isIdle });
    closers.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;

    return {
      held,
      /** Opens a connection and, if there is a path, sends a request. */
      async from(localAddress: string, path?: string) {
        const accepted = once(server, 'connection');
        const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
        let text = '';
        socket.on('data', (data) => (text += data));
        await accepted;
        const before = held.length;
        if (path !== undefined) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
        if (path === '/held') await expect.poll(() => held.length).toBe(before + 1);
        if (path === '/') await expect.poll(() => text).toContain('200 OK');
        return { isClosed: () => socket.destroyed || socket.readableEnded };
      },
    };
  }

  const CROWD = '127.0.0.1';
  test('closes the oldest idle connection of the client with the most', async () => {
    const { from } = await openLimited(4);
    const other = await from('127.0.0.2', '/');
    const busy = await from(CROWD, '/held');
    const idle = [await from(CROWD, '/'), await from(CROWD)];
    await expect.poll(() => idle[0]?.isClosed()).toBe(true);
    const newcomer = await from('127.0.0.3', '/');
    await expect.poll(() => idle[1]?.isClosed()).toBe(true);
    expect([other, busy, newcomer].map(({ isClosed }) => isClosed())).toEqual([false, false, false]);
  });

  test('closes an idle connection of another client, or the newest of the crowd, if all of the crowd are in use', async () => {
    const { from } = await openLimited(4);
    const other = await from('127.0.0.2', '/');
    const busy = [await from(CROWD, '/held'), await from(CROWD, '/held')];
    const newcomer = await from('127.0.0.3', '/held');
    await expect.poll(other.isClosed).toBe(true);
    const last = await from('127.0.0.4', '/');
    await expect.poll(() => busy[1]?.isClosed()).toBe(true);
    expect([busy[0], newcomer, last].map((one) => one?.isClosed())).toEqual([false, false, false]);
  });

  test('never closes a connection of a trusted proxy, which belongs to many clients', async () => {
    const { from } = await openLimited(4);
    const proxied = [await from('127.0.0.9', '/'), await from('127.0.0.9', '/'), await from('127.0.0.9')];
    const direct = await from(CROWD);
    await expect.poll(direct.isClosed).toBe(true);
    expect(proxied.map(({ isClosed }) => isClosed())).toEqual([false, false, false]);
  });
});
