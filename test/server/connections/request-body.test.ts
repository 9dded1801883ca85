import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Problem } from '#core/problems';
import { MAX_DISCARDED } from '#server/connections/body-problems';
import { createRequestBodies, TIMEOUTS } from '#server/connections/request-body';

/* Bodies are sent to a server that responds with the outcome of reading them. */

const MAX_READ = 128 * 1024;
const QUICK = { ...TIMEOUTS, body: 400, window: 100, linger: 200 };
let server: Server;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  server.closeAllConnections();
});

type Verb = 'discard' | 'read';
type Call = { verb: Verb; request: IncomingMessage };

async function listen(timeouts = TIMEOUTS) {
  const bodies = createRequestBodies(timeouts);
  const calls: Call[] = [];
  server = createServer(async (request, response) => {
    bodies.expect(request, response);
    const [, verb, caller] = (request.url ?? '').split('/') as [string, Verb, string];
    calls.push({ verb, request });
    try {
      const body = verb === 'read' ? await bodies.read(request, caller, MAX_READ) : await bodies.discard(request);
      response.end(`whole: ${body?.length ?? 'unread'}`);
    } catch (problem) {
      const { code, headers, status } = problem as Problem;
      response.writeHead(status, { ...headers, 'content-length': code.length }).end(code);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  /** A connection that has sent a head and the beginning of a body. `received` is everything that arrives. */
  function send(path: string, framing: string, ...pieces: (string | Buffer)[]) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    let text = '';
    socket.on('error', () => undefined).on('data', (data) => (text += data.toString('latin1')));
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
    for (const piece of pieces) socket.write(piece);
    const received = once(socket, 'close').then(() => text);
    return { socket, received, answered: () => once(socket, 'data').then(() => text) };
  }
  return { send, calls };
}

const length = (bytes: number) => `Content-Length: ${bytes}`;
const CHUNKED = 'Transfer-Encoding: chunked';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const last = (response: string) => response.split('\r\n\r\n').at(-1);

test('reads a body completely, however it is split', async () => {
  const { send } = await listen();
  const pieces = Array.from({ length: 1000 }, (_, i) => chunk('x'.repeat(1 + (i % 7))));
  expect(await send('/read/a', CHUNKED, ...pieces, '0\r\n\r\n').answered()).toMatch(/whole: 3997/);
  const all = Buffer.alloc(MAX_READ, 'x');
  expect(await send('/read/a', length(all.length), all).answered()).toMatch(`whole: ${all.length}`);
});

test.each([1_000, 33_000, 57_000, 127_000])(
  'reads the next requests on the connection after a body: %i',
  async (size) => {
    const { send } = await listen();
    const { socket, answered } = send('/read/a', length(size), Buffer.alloc(size, 'x'));
    expect(await answered()).toMatch(`whole: ${size}`);
    for (const body of ['x', 'xx']) {
      const received = once(socket, 'data');
      socket.write(`POST /read/a HTTP/1.1\r\nHost: x\r\n${length(body.length)}\r\n\r\n${body}`);
      expect(String(await received)).toMatch(`whole: ${body.length}`);
    }
  },
);

test.each([
  ['read', MAX_READ],
  ['discard', MAX_DISCARDED],
])('rejects a body that is one byte too long: %s', async (verb, limit) => {
  const { send } = await listen(QUICK);
  const response = await send(`/${verb}/a`, CHUNKED, chunk('x'.repeat(limit)), chunk('x')).received;
  expect([response.slice(0, 12), last(response)]).toEqual(['HTTP/1.1 413', expect.stringContaining('body_too_large')]);
});

test('rejects a body in thousands of chunks', async () => {
  const { send } = await listen(QUICK);
  expect(await send('/discard/a', CHUNKED, chunk('x').repeat(5000)).received).toMatch('body_too_large');
});

test.each(['read', 'discard'])('times out if the rest of a body does not arrive: %s', async (verb) => {
  const { send } = await listen({ ...QUICK, body: TIMEOUTS.body });
  expect(await send(`/${verb}/a`, length(100), 'x').received).toMatch(/^HTTP\/1\.1 408[\s\S]*request_timeout/);
});

test.each([1, 5000])('times out if a body becomes slow after its first bytes: %i', async (first) => {
  const { send } = await listen({ ...QUICK, body: TIMEOUTS.body });
  const { socket, answered } = send('/read/a', length(first + 100), 'x'.repeat(first));
  const dripping = setInterval(() => socket.write('x'), 20);
  expect(await answered()).toMatch('request_timeout');
  clearInterval(dripping);
});

test('times out if a fast body never ends', async () => {
  const { send } = await listen({ ...QUICK, window: 200 });
  const { socket, received } = send('/discard/a', length(1_000_000), 'x');
  const coming = setInterval(() => socket.write('x'.repeat(500)), 20);
  expect(await received).toMatch('request_timeout');
  clearInterval(coming);
});

test('accepts four concurrent bodies of a caller, and four of another', async () => {
  const { send, calls } = await listen();
  for (const caller of ['a', 'a', 'b', 'a', 'a']) send(`/read/${caller}`, length(10), 'x');
  await expect.poll(() => calls.length).toBe(5);
  expect(await send('/read/a', length(1), 'x').answered()).toMatch(
    /^HTTP\/1\.1 503[\s\S]*retry-after: 1[\s\S]*overloaded/,
  );
  expect(await send('/read/b', length(1), 'x').answered()).toMatch('whole: 1');
  // A connection that closes makes room.
  sockets[0]?.destroy();
  const again = async () => last(await send('/read/a', length(1), 'x').answered());
  await expect.poll(again).toBe('whole: 1');
});

test('accepts 16 MB of concurrent bodies in total', async () => {
  const { send, calls } = await listen();
  const most = Buffer.alloc(MAX_READ - 1, 'x');
  for (let i = 0; i < 128; i++) send(`/read/${i}`, length(MAX_READ), most);
  await expect.poll(() => calls.length).toBe(128);
  const one = () => send('/read/other', length(1), 'x').answered();
  await expect.poll(async () => last(await one())).toBe('overloaded');
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => last(await one())).toBe('whole: 1');
});

test('sends 100 Continue when the body is read, if the client expects it', async () => {
  const { send } = await listen();
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  const { socket, answered } = send('/read/a', `${length(2)}\r\nExpect: 100-continue`);
  expect(await answered()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('ab');
  expect(await answered()).toMatch('whole: 2');
});
