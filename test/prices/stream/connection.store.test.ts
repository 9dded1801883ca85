import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../support/service/service.ts';
import { storePrice } from '../../support/service/store-price.ts';

/* The connection of a stream, below the level of HTTP. */

const STREAM = '/v1/prices/stream?tokenNames=bitcoin';
let service: Service;
let key: string;
let lastPrice = 1000;
const sockets: Socket[] = [];

beforeAll(async () => {
  service = await startService({ settings: { BURST_PER_SECOND: '0', COINGECKO_REFRESH: 'latest=1h' } });
  key = await service.createUser();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(() => service.parts.streamFigures.open).toBe(0);
});
afterAll(() => service?.close());

const get = (path: string, version = '1.1', more = '') =>
  `GET ${path} HTTP/${version}\r\nHost: x\r\nX-API-KEY: ${key}\r\n${more}\r\n`;
const HEALTH = '/health/live';

/** A connection on which these bytes are sent, in one piece. */
function open(bytes: string) {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  sockets.push(socket);
  const closed = once(socket, 'close');
  let text = '';
  socket.setEncoding('latin1').on('error', () => undefined);
  socket.on('data', (piece) => (text += piece)).on('end', () => socket.end());
  socket.write(bytes);
  const count = (words: string) => text.split(words).length - 1;
  return {
    socket,
    closed,
    text: () => text,
    responses: () => count('HTTP/1.1 '),
    received: (events: number) => expect.poll(() => count('event: price')).toBe(events),
  };
}

async function change(): Promise<void> {
  lastPrice += 1;
  await storePrice(service.database, 'bitcoin', lastPrice);
  await service.parts.poll();
}

it.each([
  ['after another response', '1.1', '', HEALTH, 2],
  ['of HTTP/1.0', '1.0', '', undefined, 1],
  ['with a body', '1.1', 'Content-Length: 2\r\n', undefined, 1],
])(
  'a request %s is answered with a stream, whose end is the end of the connection',
  async (_, version, more, before, responses) => {
    const body = more === '' ? '' : '{}';
    const one = open((before === undefined ? '' : get(before)) + get(STREAM, version, more) + body);
    await one.received(1);
    await change();
    await one.received(2);
    expect(one.responses()).toBe(responses);
    const head = one.text().slice(one.text().lastIndexOf('HTTP/1.1 '), one.text().indexOf('event: '));
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-type: text\/event-stream\r\n/);
    expect(head).toMatch(/\r\nConnection: close\r\n\r\nretry: \d{4}\n\n$/);
    expect(head).not.toMatch(/transfer-encoding|content-length|keep-alive/i);
  },
);

it.each([
  ['GET', () => get(HEALTH)],
  ['POST', () => 'POST /v1/user/rotate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{}'],
])('a %s behind the request for a stream has no response, and does not end the stream', async (_, behind) => {
  const one = open(get(STREAM) + behind());
  await one.received(1);
  one.socket.write(behind());
  await change();
  await one.received(2);
  expect(one.responses()).toBe(1);
});

it('bytes that are not HTTP do not end a stream, unless they are more than 64 KB', async () => {
  const one = open(get(STREAM));
  await one.received(1);
  one.socket.write('\0'.repeat(60 * 1024));
  await change();
  await one.received(2);
  expect(one.responses()).toBe(1);
  one.socket.write('\0'.repeat(10 * 1024));
  await one.closed;
});

it('a stream ends when the client ends its half of the connection', async () => {
  const one = open(get(STREAM));
  await one.received(1);
  one.socket.end();
  await one.closed;
  expect(one.responses()).toBe(1);
});
