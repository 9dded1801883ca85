import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClientNames } from '#server/client-address';
import { createLingering } from '#server/connections/lingering';
import { createRequestBodies, TIMEOUTS } from '#server/connections/request-body';
import { hasBody, type RequestHead } from '#server/connections/request-head';
import { createHttpServer, createPendingResponses } from '#server/connections/server';

/** The keys that the fast path accepts. */
const KEYS = [...['a', 'b'].map((letter) => `qt_${letter.repeat(38)}`), 'other'];
const UNKNOWN = `qt_${'c'.repeat(38)}`;

/** The key of a request on the fast path, from one of the two headers. */
function keyOf({ headers }: RequestHead): string | undefined {
  const key = headers['x-api-key'] ?? headers.authorization?.replace(/^bearer /i, '');
  return KEYS.find((one) => one === key);
}

/** Everything about a request that its handler sees. */
const seen = ({ method, url, headers, rawHeaders }: RequestHead) =>
  JSON.stringify({ method, url, headers, rawHeaders });

const isFast = (request: RequestHead): boolean =>
  request.method === 'GET' && request.url?.startsWith('/fast') === true && keyOf(request) !== undefined;

/** A server whose responses contain the request as the handler saw it. It counts the repeated requests. */
async function open(repeats: boolean, timeouts = TIMEOUTS) {
  const linger = createLingering(timeouts.linger);
  const bodies = createRequestBodies(timeouts, linger);
  const pending = createPendingResponses();
  const repeated: RequestHead[] = [];
  const held: ServerResponse[] = [];

  function respond(request: IncomingMessage, response: ServerResponse): boolean {
    if (!isFast(request)) return false;
    response.end(`${seen(request)}\n`);
    return true;
  }

  function repeat(request: RequestHead): boolean {
    if (!repeats || !isFast(request)) return false;
    repeated.push(request);
    const body = `${seen(request)}\n`;
    request.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return true;
  }

  const framework: RequestListener = (request, response) => {
    let length = 0;
    const finish = () => {
      if (request.url === '/held') held.push(response);
      else if (request.url === '/big') response.end(`${'x'.repeat(12_000_000)}\n`);
      else response.end(`${seen(request)}${length}\n`);
    };
    if (!hasBody(request)) return finish();
    request.on('data', (chunk) => (length += chunk.length)).on('end', finish);
    request.socket.resume();
  };
  const clients = createClientNames(undefined);
  const fastPath = repeats ? { respond, repeat } : { respond, repeat: () => false };
  const parts = { timeouts, bodies, pending, clients, linger, takeTarget: () => undefined, fastPath };
  const server = createHttpServer(parts)(framework);
  server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n{"broken":true}\n'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, repeated, held, pending };
}

type Opened = Awaited<ReturnType<typeof open>>;
let direct: Opened;
let parsed: Opened;
beforeAll(async () => {
  direct = await open(true);
  parsed = await open(false);
});
afterAll(() => {
  for (const { server } of [direct, parsed]) {
    server.closeAllConnections();
    server.close();
  }
});

async function connectTo({ server, pending }: Opened) {
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  let text = '';
  client.on('data', (data) => (text += data));
  const [socket] = await accepted;
  let sent = 0;
  return {
    client,
    closed: once(client, 'close'),
    text: () => text,
    bodies: () => text.match(/^\{.*\n/gm) ?? [],
    /** Ends the connection after the pending responses. */
    async end(): Promise<void> {
      while (!pending.isIdle(socket)) await nextTurn();
      client.end();
      if (!client.closed) await once(client, 'close');
    },
    /** Sends a text, and returns when the server has read all of it. */
    async send(piece: string): Promise<void> {
      sent += Buffer.byteLength(piece, 'latin1');
      client.write(piece, 'latin1');
      while (socket.bytesRead < sent && !socket.destroyed && !socket.isPaused()) await nextTurn();
      await nextTurn();
    },
  };
}

/** The bodies of all responses to a list of texts, each of which is sent when the server has read the text before it. */
async function responsesTo(opened: Opened, pieces: readonly string[]): Promise<string[]> {
  const { send, end, bodies } = await connectTo(opened);
  for (const piece of pieces) await send(piece);
  await end();
  return bodies();
}

const get = (path: string, fields: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
const withKey = (key: string, fields = '') => get('/fast', `${fields}X-API-KEY: ${key}\r\n`);
const [A = '', B = ''] = KEYS;

test('the same bytes are the same request, with any key', async () => {
  const before = direct.repeated.length;
  const pieces = [A, A, B, A, UNKNOWN, B].map((key) => withKey(key, 'Accept: */*\r\nX-Name: \xe9\r\n'));
  expect(await responsesTo(direct, pieces)).toEqual(await responsesTo(parsed, pieces));
  // Each request after the first one, except the request with an unknown key.
  expect(direct.repeated.length - before).toBe(4);
});

test('a request with a second key is not repeated with another one', async () => {
  const before = direct.repeated.length;
  const both = (first: string, other: string) => get(`/fast?key=${first}`, `X-API-KEY: ${other}\r\n`);
  const pieces = [both(A, A), both(B, A), both(A, B), both(A, A)];
  expect(await responsesTo(direct, pieces)).toEqual(await responsesTo(parsed, pieces));
  expect(direct.repeated).toHaveLength(before);
});

test('a new connection repeats the requests of another connection', async () => {
  const before = direct.repeated.length;
  await responsesTo(direct, [withKey(A)]);
  // Except with its first request.
  await responsesTo(direct, [withKey(B), withKey(B), withKey(A)]);
  expect(direct.repeated.length - before).toBe(2);
});

test('only the characters of a key can differ', async () => {
  const before = direct.repeated.length;
  const head = (value: string) => get('/fast', `X-API-KEY: other\r\nX-Name: qt_${value}\r\n`);
  const other = '\r\nContent-Length: 30\r\nX-Name: '.padEnd(38, 'a');
  for (const text of [other, '\r\nConnection: close\r\nX-Name: aaaaaaaa', `${'a'.repeat(37)}\0`]) {
    const pieces = [head('a'.repeat(38)), head(text), 'GET /x HTTP/1.1\r\nHost: h\r\n\r\nab', withKey(A)];
    expect(await responsesTo(direct, pieces)).toEqual(await responsesTo(parsed, pieces));
  }
  expect(direct.repeated).toHaveLength(before);
});

test('a connection that repeats requests is not cut, and is idle between them', async () => {
  const opened = await open(true, { ...TIMEOUTS, head: 300 });
  await responsesTo(opened, [withKey(A)]);
  const { send, bodies, closed } = await connectTo(opened);
  const startedAt = performance.now();
  let sent = 0;
  for (; performance.now() - startedAt < 1_500; sent++) {
    await send(withKey(A));
    await expect.poll(bodies).toHaveLength(sent + 1);
  }
  expect(opened.repeated.length).toBeGreaterThan(sent - 3);
  opened.server.closeIdleConnections();
  await closed;
  opened.server.close();
});

test('a client that reads late receives all responses', async () => {
  for (const opened of [direct, parsed]) {
    const { client, send, text } = await connectTo(opened);
    client.pause();
    await send(get('/big', '') + get('/slow', ''));
    client.write(get('/slow', 'X-Name: late\r\n'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.resume();
    await expect.poll(() => text().split('HTTP/1.1 200').length - 1, { timeout: 10_000 }).toBe(3);
    client.destroy();
  }
});

test('a request waits for the response to an earlier request', async () => {
  const { send, bodies } = await connectTo(direct);
  await send(withKey(A));
  const before = direct.repeated.length;
  await send(get('/held', ''));
  await expect.poll(() => direct.held.length).toBe(1);
  await send(withKey(A));
  expect(bodies()).toHaveLength(1);
  direct.held.pop()?.end('{"held":true}\n');
  await expect.poll(bodies).toHaveLength(3);
  expect(direct.repeated).toHaveLength(before);
  await send(withKey(A));
  await expect.poll(bodies).toHaveLength(4);
  expect(direct.repeated).toHaveLength(before + 1);
});

test('after many other requests, Node reads the connection alone', async () => {
  const { send, bodies } = await connectTo(direct);
  await send(withKey(A));
  const before = direct.repeated.length;
  for (let n = 0; n < 40; n++) await send(get('/fast', `X-API-KEY: ${A}\r\nX-Request-Id: ${n}\r\n`));
  await send(withKey(A));
  await expect.poll(bodies).toHaveLength(42);
  expect(direct.repeated).toHaveLength(before);
});

/** Texts that a client could send: requests, requests in a body or in another request, parts of requests, and others. */
const key = fc.constantFrom(A, B, UNKNOWN, 'qt_', `${A}, ${B}`, `${A} `, '');
const fields = fc.constantFrom(
  '',
  'Accept: */*\r\n',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: x\r\nConnection: upgrade\r\n',
  `X-Other: ${A}\r\n`,
  `Authorization: Bearer ${B}\r\n`,
  'Content-Length: 0\r\n',
);
const keyName = fc.constantFrom('X-API-KEY: ', 'x-api-key:', 'Authorization: Bearer ', 'authorization: bearer ', 'A: ');
const head = fc
  .tuple(fc.constantFrom('/fast', '/fast?b', '/slow', `/fast?k=${A}`), fields, keyName, key, fields)
  .map(([path, before, name, value, after]) => get(path, `${before}${name}${value}\r\n${after}`));
const common = fc.constantFrom(withKey(A), withKey(B));
const post = fc.tuple(common, fc.boolean()).chain(([body, isSplit]) => {
  const start = `POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
  return fc.constant(isSplit ? [start, body] : [start + body]);
});
const splitHead = fc
  .tuple(fc.oneof(common, head), fc.nat(200))
  .map(([text, at]) => [text.slice(0, at), text.slice(at)].filter((piece) => piece !== ''));
const pieces = fc.oneof(
  { arbitrary: common.map((text) => [text]), weight: 6 },
  { arbitrary: head.map((text) => [text]), weight: 3 },
  { arbitrary: fc.tuple(common, head).map(([one, other]) => [one + other]), weight: 1 },
  { arbitrary: post, weight: 1 },
  { arbitrary: splitHead, weight: 1 },
  { arbitrary: fc.constantFrom('\r\n', '\r\n\r\n', 'x', 'GET /fast HTTP/1.1\r\n').map((text) => [text]), weight: 1 },
);

test('every sequence of bytes has the same responses as without repeated requests', async () => {
  const before = direct.repeated.length;
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 8 }), async (list) => {
      const sent = [withKey(A), ...list.flat()];
      const expected = await responsesTo(parsed, sent);
      // The second time, the requests of the first time can be repeated.
      for (let n = 0; n < 2; n++) expect(await responsesTo(direct, sent)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
  expect(direct.repeated.length - before).toBeGreaterThan(50);
});
