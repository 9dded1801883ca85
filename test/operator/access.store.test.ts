import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MINUTE, SECOND } from '#core/clock';
import { createAdminToken } from '#operator/admin-token';
import { createTestClock } from '../../fixtures/clock.ts';
import { type OperatorService, startOperator, TOKEN } from './operator-harness.ts';

let service: OperatorService;
beforeAll(async () => {
  service = await startOperator({ settings: { BURST_PER_SECOND: '0' } });
});
afterAll(() => service?.close());

/** Every operation of the operator API, with an ID in each path. */
async function operations(): Promise<{ method: string; path: string }[]> {
  const { body } = await service.send('/openapi.json', { token: null });
  return Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: path.replace('/messages/{id}', `/messages/${crypto.randomUUID()}`).replaceAll(/\{\w+\}/g, '1'),
    })),
  );
}

it('requires the token for every operation, and rejects API keys', async () => {
  const { apiKey } = await service.user('ada@example.org');
  // Each rejected token counts, so this test uses few.
  const all = await operations();
  expect(all.length).toBeGreaterThan(15);
  for (const { method, path } of all) {
    const { status, body, headers } = await service.send(path, { method, token: null });
    expect([method, path, status, body.code]).toEqual([method, path, 401, 'admin_token_invalid']);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    const byKey = await service.send(path, { method, token: null, headers: { 'x-api-key': apiKey } });
    expect([method, path, byKey.status]).toEqual([method, path, 401]);
  }
  expect((await service.send('/admin/v1/users', { token: apiKey })).status).toBe(401);
  expect((await service.send(`/admin/v1/users?api=${apiKey}`, { token: null })).status).toBe(401);
  const basic = Buffer.from(`${TOKEN}:`).toString('base64');
  const byBasic = await service.send('/admin/v1/users', { token: null, headers: { authorization: `Basic ${basic}` } });
  expect(byBasic.status).toBe(401);
  expect((await service.send('/admin/v1/users')).status).toBe(200);
});

it('serves the page of a problem with its style sheets, without a token', async () => {
  const { body } = await service.send('/admin/v1/users', { token: null });
  const page = await (await fetch(new URL(body.type, service.adminUrl))).text();
  expect(page).toContain('id="admin_token_invalid"');
  const sheets = [...page.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href = '']) => href);
  expect(sheets).toHaveLength(2);
  for (const href of sheets) {
    const { status, headers } = await fetch(new URL(href, service.adminUrl));
    expect([href, status, headers.get('content-type')]).toEqual([href, 200, 'text/css; charset=utf-8']);
  }
});

it('does not exist on the public port, with and without the token', async () => {
  const paths = (await operations()).map(({ path }) => path);
  for (const path of [...paths, '/admin', '/admin/', '/admin/v1', '//admin/v1/users', '/v1/../admin/v1/users']) {
    for (const headers of [{}, { authorization: `Bearer ${TOKEN}` }] as Record<string, string>[]) {
      const response = await fetch(`${service.url}${path}`, { headers });
      expect([path, response.status]).toEqual([path, 404]);
    }
  }
});

/** A path exactly as it is written: `fetch` would normalize it. */
const raw = (path: string, headers: Record<string, string> = {}) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(service.adminUrl);
    request({ hostname, port, path, method: 'GET', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

it('serves nothing without the token at other spellings of a path', async () => {
  for (const path of [
    '//admin/v1/users',
    '/admin//v1/users',
    '/admin/v1/users/',
    '/ADMIN/v1/users',
    '/admin/v1/%75sers',
    '/admin/v1/./users',
    '/x/../admin/v1/users',
    '/admin/v1/users;x',
    '/admin%2fv1%2fusers',
    '/docs/static/..%2f..%2fadmin/v1/users',
    '/admin/v1/users?/openapi.json',
  ])
    expect([path, [401, 404].includes((await raw(path)) ?? 0)]).toEqual([path, true]);
});

it("rejects requests of other sites' pages, even with the token, and allows no other origin", async () => {
  const cross = await service.send('/admin/v1/users', { headers: { 'sec-fetch-site': 'cross-site' } });
  expect([cross.status, cross.body.code]).toEqual([403, 'cross_site']);
  const origin = { origin: 'https://elsewhere.example' };
  const read = await service.send('/admin/v1/users', { headers: origin });
  expect([...read.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  const preflight = await service.send('/admin/v1/users', {
    method: 'OPTIONS',
    headers: { ...origin, 'access-control-request-method': 'POST' },
    token: null,
  });
  expect(preflight.status).toBe(405);
});

it('rejects the name of another site that points to this listener, even for its page', async () => {
  const { port } = new URL(service.adminUrl);
  const authorization = `Bearer ${TOKEN}`;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, '[::1]'])
    expect([host, await raw('/admin/v1/users', { host, authorization })]).toEqual([host, 200]);
  for (const host of [`evil.example:${port}`, 'evil.example', '127.0.0.1.evil.example', 'localhost.evil.example']) {
    for (const path of ['/admin/v1/users', '/', '/openapi.json', '/nothing'])
      expect([host, path, await raw(path, { host, authorization })]).toEqual([host, path, 403]);
  }
  // Wrong tokens of such a page do not count.
  for (let n = 0; n < 11; n++) await raw('/admin/v1/users', { host: 'evil.example', authorization: `Bearer ${n}` });
  expect((await service.send('/admin/v1/users')).status).toBe(200);
});

it('accepts any host name if the listener is not local, because a network has names', async () => {
  const open = await startOperator({ settings: { ADMIN_HOST: '0.0.0.0' } });
  const { port } = new URL(open.adminUrl);
  const status = await new Promise((resolve) =>
    request({ port, path: '/admin/v1/users', headers: { host: 'admin.internal', authorization: `Bearer ${TOKEN}` } })
      .on('response', (response) => resolve(response.resume().statusCode))
      .end(),
  );
  expect(status).toBe(200);
  await open.close();
});

it('never logs the token', async () => {
  await service.send('/admin/v1/users?query=ada');
  await service.send('/admin/v1/users/999999');
  await service.send('/admin/v1/nothing');
  expect(service.logLines.join('\n')).not.toContain(TOKEN);
});

it('limits wrong tokens of each address, and accepts the right token whatever was sent before', () => {
  const clock = createTestClock(0);
  const { check } = createAdminToken(TOKEN, clock);
  const outcome = (token: string, address: string) => {
    try {
      check(token === '' ? undefined : `Bearer ${token}`, address);
      return 'accepted';
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };
  for (let n = 0; n < 10; n++) {
    clock.advance(SECOND);
    expect(outcome(`${TOKEN}${n}`, 'one')).toBe('admin_token_invalid');
  }
  for (const token of [`${TOKEN}x`, 'wrong', TOKEN.slice(1)]) expect(outcome(token, 'one')).toBe('rate_limited');
  for (const address of ['one', 'another']) expect(outcome(TOKEN, address)).toBe('accepted');
  expect(outcome('', 'one')).toBe('admin_token_invalid');
  expect(outcome('wrong', 'another')).toBe('admin_token_invalid');
  // The first of the ten tokens is a minute ago, so there is room for one.
  clock.advance(MINUTE - 9 * SECOND);
  expect(outcome('wrong', 'one')).toBe('admin_token_invalid');
  expect(outcome('wrong', 'one')).toBe('rate_limited');
  clock.advance(MINUTE);
  expect(outcome(TOKEN, 'one')).toBe('accepted');
});

it('counts the wrong tokens of a bounded number of addresses, the newest ones', () => {
  const { check } = createAdminToken(TOKEN, createTestClock(0));
  const send = (address: string) => {
    try {
      check('Bearer wrong', address);
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };
  for (let n = 0; n < 10; n++) send('first');
  expect(send('first')).toBe('rate_limited');
  for (let n = 0; n < 999; n++) send(`other ${n}`);
  expect(send('first')).toBe('rate_limited');
  send('one more');
  expect(send('first')).toBe('admin_token_invalid');
});

it('counts wrong tokens by the address that a trusted proxy reports, and never locks the operator out', async () => {
  const proxied = await startOperator({ settings: { TRUST_PROXY: '1' } });
  const from = async (address: string, token: string) => {
    const { status, headers } = await proxied.send('/admin/v1/users', {
      token,
      headers: { 'x-forwarded-for': address },
    });
    return [status, headers.has('retry-after')];
  };
  for (let n = 0; n < 10; n++) expect(await from(`203.0.113.7:${50_000 + n}`, `wrong-${n}`)).toEqual([401, false]);
  expect(await from('203.0.113.7:1', 'wrong')).toEqual([429, true]);
  expect(await from('198.51.100.1', 'wrong')).toEqual([401, false]);
  expect(await from('203.0.113.7', TOKEN)).toEqual([200, false]);
  await proxied.close();
});
