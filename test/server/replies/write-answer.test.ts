import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { bodyOf } from '#server/replies/answer-body';
import { shareFields } from '#server/replies/answer-headers';
import { createResponseWriter } from '#server/replies/write-answer';
import { exchange } from '../../support/service/socket.ts';

const NOW = Date.parse('2026-05-15T14:10:06.789Z');
const open: { close(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** A server that responds to every request with a text. */
async function serve(text: string, status: 200 | 304 = 200): Promise<string> {
  const { etag, payload } = bodyOf(text).identity;
  const content = status === 200 ? ['content-length', String(payload.length)] : [];
  const shared = shareFields(status, ['etag', etag, ...content]);
  const write = createResponseWriter(5000);
  const server = createServer({ keepAliveTimeout: 5000 }, (_request, response) =>
    write(response, status, shared, ['x-own', 'a'], payload, NOW),
  );
  open.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['short, in one write', '{"current_price":1}'],
  ['long, as bytes', JSON.stringify({ points: 'é'.repeat(100_000) })],
])('a body that is %s arrives completely, with all its headers', async (_what, text) => {
  const answer = await exchange(await serve(text), 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(answer).toMatchObject({ status: 200, body: text });
  expect(answer.headers).toEqual({
    etag: bodyOf(text).identity.etag,
    'content-length': String(Buffer.byteLength(text)),
    'x-own': 'a',
    date: 'Fri, 15 May 2026 14:10:06 GMT',
    connection: 'keep-alive',
    'keep-alive': 'timeout=5',
  });
});

test('a 304 has no body', async () => {
  const answer = await exchange(await serve('{}', 304), 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(answer).toMatchObject({ status: 304, body: '' });
  expect(Object.keys(answer.headers)).toEqual(['etag', 'x-own', 'date', 'connection', 'keep-alive']);
});

test.each([
  ['HTTP/1.1', 'Connection: close\r\n'],
  ['HTTP/1.0', ''],
])('a connection that ends receives Connection: close: %s %s', async (version, header) => {
  const answer = await exchange(await serve('{}'), `GET / ${version}\r\nhost: x\r\n${header}\r\n`);
  expect(answer).toMatchObject({ status: 200, body: '{}', headers: { connection: 'close', 'x-own': 'a' } });
});

test.each([
  ['a name', ['e tag', 'x']],
  ['a value', ['etag', 'x\r\nset-cookie: y']],
])('a malformed %s is not written into a head', (_what, fields) => {
  expect(() => shareFields(200, fields)).toThrow(TypeError);
});
