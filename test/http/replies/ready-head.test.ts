import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { beginningOf, createHeadEnd, endReady, linesOf, takesReadyHead } from '#http/replies/prepared-head';
import { bodyOf } from '#services/caching/bodies';
import { exchange } from '../../support/service/socket.ts';

const NOW = Date.parse('2026-05-15T14:10:06.789Z');
const open: { close(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** A server that answers with a ready head, where it may, and with 204 where not. */
async function serve(text: string): Promise<string> {
  const { identity } = bodyOf(text);
  const fields = ['etag', identity.etag, 'content-length', String(identity.payload.length)];
  const headEnd = createHeadEnd(5000);
  const server = createServer((_request, response) => {
    if (!takesReadyHead(response)) return response.writeHead(204).end();
    endReady(response, `${beginningOf(fields)}${linesOf(['x-own', 'a'])}${headEnd(NOW)}`, identity);
  });
  open.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['short, in one write', '{"current_price":1}'],
  ['long, as bytes', JSON.stringify({ points: 'é'.repeat(100_000) })],
])('a body that is %s comes whole, with all its headers', async (_what, text) => {
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

test.each([
  ['HTTP/1.1', 'Connection: close\r\n'],
  ['HTTP/1.0', ''],
])('a connection that ends takes none: %s %s', async (version, header) => {
  const answer = await exchange(await serve('{}'), `GET / ${version}\r\nhost: x\r\n${header}\r\n`);
  expect(answer).toMatchObject({ status: 204, headers: { connection: 'close' } });
});

test.each([
  ['a name', ['e tag', 'x']],
  ['a value', ['etag', 'x\r\nset-cookie: y']],
])('%s that is not well formed goes into no head', (_what, fields) => {
  expect(() => beginningOf(fields)).toThrow(TypeError);
});
