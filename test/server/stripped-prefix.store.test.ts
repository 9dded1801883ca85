import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTargets } from '#server/request-target';
import { type Service, startService } from '../support/service/service.ts';
import { exchange } from '../support/service/socket.ts';

/* A proxy that serves the service at /quotient, and strips the prefix. */

let service: Service;
const get = (path: string, key?: string) =>
  fetch(`${new URL(service.url).origin}${path}`, { headers: { ...(key && { 'x-api-key': key }) } });
beforeAll(async () => {
  service = await startService({ settings: { PUBLIC_URL: 'https://example.org/quotient/' } });
});
afterAll(() => service?.close());

it('links have the prefix that clients see', async () => {
  const document = (await (await get('/openapi.json')).json()) as { servers: { url: string }[] };
  expect(document.servers[0]?.url).toBe('https://example.org/quotient');
  const page = await (await get('/docs')).text();
  const links = [...page.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !link.startsWith('/quotient/'))).toEqual([]);
  const problem = (await (await get('/v1/user/usage')).json()) as { type: string };
  expect(problem.type).toBe('/quotient/docs/problems#api_key_missing');
  const created = await fetch(`${new URL(service.url).origin}/v1/user/create?name=A&email=a@example.org&plan=monthly`, {
    method: 'POST',
  });
  expect(created.headers.get('link')).toContain('</quotient/v1/user/renew>');
});

it('requests are served with and without the prefix, also from memory', async () => {
  const key = await service.register();
  for (let n = 0; n < 3; n++)
    for (const prefix of ['', '/quotient'])
      expect((await get(`${prefix}/v1/prices/latest/token?tokenName=bitcoin`, key)).status).toBe(200);
  for (const path of ['/quotientx/v1/tokens', '/nothing']) expect((await get(path)).status).toBe(404);
});

it('the absolute form of a target is accepted', async () => {
  const response = await exchange(
    service.url,
    'GET http://example.org/v1/tokens?x=1 HTTP/1.1\r\nHost: example.org\r\n\r\n',
  );
  expect(response.status).toBe(200);
});

describe('the path of a target', () => {
  it.each([
    ['/quotient', '', '/docs?x', '/quotient/docs?x'],
    ['/quotient', '', '/', '/quotient/'],
    ['/quotient', '', '/quotient', '/quotient'],
    ['/quotient', '', '/quotient?x', '/quotient?x'],
    ['/quotient', '', '/quotients', '/quotient/quotients'],
    ['/a/b', '/m', '/m/docs', '/a/b/docs'],
    ['/a/b', '/m', '/docs', '/docs'],
    ['', '', 'http://x/docs', '/docs'],
    ['', '', 'HTTPS://x?y', '/?y'],
    ['', '', '*', '*'],
    ['/m', '/m', 'http://x', '/'],
  ])('with routes below %j and requests below %j: %s is %s', (basePath, received, url, path) => {
    expect(createTargets(basePath, received)(url)).toBe(path);
  });
});
