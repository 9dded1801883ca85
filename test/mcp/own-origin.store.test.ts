import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../support/service/service.ts';

/* A page whose origin is the host of its own request. The owner of a name can point it to any address. */

let [named, unnamed]: Service[] = [];
beforeAll(async () => {
  named = await startService({ settings: { PUBLIC_URL: 'https://quotient.example' } });
  unnamed = await startService();
});
afterAll(async () => {
  await unnamed?.close();
  await named?.close();
});

const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

/** Lists the tools as a page at `host` does, and returns the status. `%` is replaced by the port. */
async function listFrom(
  service: Service | undefined,
  host: string,
  scheme = 'http',
  ownPort = '',
): Promise<number | undefined> {
  const { url = '', register } = service ?? {};
  const key = await register?.();
  const { hostname, port } = new URL(url);
  const own = host.replace('%', port);
  const headers = {
    host: `${own}${ownPort}`,
    origin: `${scheme}://${own}`,
    'x-api-key': key,
    'content-type': 'application/json',
  };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: '/mcp', method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end(BODY);
  });
}

it.each([
  ['127.0.0.1:%', 200],
  ['localhost:%', 200],
  ['app.localhost:%', 200],
  ['[::1]:%', 200],
  ['192.0.2.7', 200],
  ['evil.example:%', 403],
  ['127.0.0.1.evil.example', 403],
  ['localhost.evil.example', 403],
  ['quotient.example.evil.example', 403],
])('a page at %s responds with %i if PUBLIC_URL names another host', async (host, status) => {
  expect(await listFrom(named, host)).toBe(status);
});

it('a page at PUBLIC_URL is accepted, with its scheme', async () => {
  expect(await listFrom(named, 'quotient.example', 'https')).toBe(200);
  expect(await listFrom(named, 'quotient.example', 'http')).toBe(403);
});

it('without PUBLIC_URL, a page at the host of its request is accepted', async () => {
  expect(await listFrom(unnamed, 'quotient.example', 'https')).toBe(200);
});

it("is accepted if a proxy adds the scheme's own port to the host", async () => {
  expect(await listFrom(unnamed, 'quotient.example', 'https', ':443')).toBe(200);
  expect(await listFrom(unnamed, 'quotient.example', 'http', ':80')).toBe(200);
  expect(await listFrom(unnamed, 'quotient.example', 'https', ':80')).toBe(403);
  expect(await listFrom(named, 'quotient.example.evil.example', 'https', ':443')).toBe(403);
});
