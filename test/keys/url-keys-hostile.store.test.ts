import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintApiKey } from '#keys/api-key';
import { PRICED } from '../support/service/hammer.ts';
import { exchange } from '../support/service/socket.ts';
import { type Body, type Keys, openKeys } from './keys-harness.ts';

/* Requests below `/k/` that try to reach another path, another user's response, or too much memory. */

let keys: Keys;
let owner: string;
let mine: string;
let other: string;
beforeAll(async () => {
  keys = await openKeys(Date.UTC(2026, 0, 31, 12), { CORS_ORIGINS: 'https://app.example' });
  owner = await keys.service.register();
  const make = async (of: string) =>
    (await keys.make(of, { url: 'true', dailyLimit: '500', scopes: 'prices,node' })).apiKey;
  mine = await make(owner);
  other = await make(await keys.service.register());
});
afterAll(() => keys?.service.close());

/** Sends a target as it is: `fetch` would resolve dots. */
async function send(target: string, fields = '', method = 'GET') {
  const text = `${method} ${target} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
  const { status, headers, body } = await exchange(keys.service.url, text);
  const code = status < 400 ? undefined : (JSON.parse(body) as Body).code;
  return { status, headers: headers as Record<string, string | undefined>, body, code };
}

describe('paths below a key', () => {
  it.each([
    ['nothing', ''],
    ['only a slash', '/'],
    ['an owner path', '/v1/user/data'],
    ['the list of keys', '/v1/user/keys'],
    ['the console', '/console/'],
    ['the documentation', '/docs'],
    ['the API description', '/openapi.json'],
    ['metrics and health', '/health/ready'],
    ['another key', `/k/${'x'.repeat(41)}${PRICED}`],
    ['a path that only starts like a served one', '/v1/tokensx'],
    ['a path below MCP', '/mcp/x'],
    ['dots', '/v1/prices/../user/data'],
    ['encoded dots', '/v1/prices/%2e%2e/user/data'],
    ['an encoded slash', '/v1/prices%2Flatest%2Ftoken?tokenName=bitcoin'],
    ['dots and an encoded slash', '/v1/prices/..%2fuser/data'],
    ['a double slash', '//v1/prices/latest/token?tokenName=bitcoin'],
    ['a backslash', '/v1/prices\\..\\user\\data'],
    ['upper case', '/V1/PRICES/latest/token?tokenName=bitcoin'],
    ['an encoded letter', '/v1/%75ser/data'],
  ])('%s is 404', async (_what, rest) => {
    const { status, code, headers, body } = await send(`/k/${mine}${rest}`);
    expect([status, code, headers['referrer-policy'], headers['cache-control']]).toEqual([
      ...[404, 'not_found', 'no-referrer', 'no-store'],
    ]);
    expect(body).not.toContain(mine.slice(3));
  });

  it.each([
    ['an encoded slash at the end of the key', (key: string) => `/k/${key}%2Fv1/prices/latest/token?tokenName=bitcoin`],
    ['an encoded slash in front of the key', (key: string) => `/k/%2F${key}${PRICED}`],
    ['dots in front of the key', (key: string) => `/k/./${key}${PRICED}`],
    ['a double slash', (key: string) => `/k//${key}${PRICED}`],
    ['an encoded k', (key: string) => `/%6b/${key}${PRICED}`],
  ])('%s is rejected', async (_what, target) => {
    expect((await send(target(mine))).code).toMatch(/^(not_found|api_key_invalid)$/);
  });

  it('an encoded key and the absolute form are accepted', async () => {
    expect((await send(`/k/%71u%5F${mine.slice(3)}${PRICED}`)).status).toBe(200);
    expect((await send(`http://x/k/${mine}${PRICED}`)).status).toBe(200);
  });

  it('methods, preflights and secrets are checked as without a key', async () => {
    expect(await send(`/k/${mine}/v1/prices/latest/token`, '', 'DELETE')).toMatchObject({ status: 405 });
    expect(await send(`/k/${mine}${PRICED}&mnemonic=abandon`)).toMatchObject({ code: 'secret_in_request' });
    expect(await send(`/k/${mine}/nothing?mnemonic=abandon`)).toMatchObject({ code: 'secret_in_request' });
    const preflight = 'Origin: https://app.example\r\nAccess-Control-Request-Method: GET\r\n';
    expect((await send(`/k/${mine}${PRICED}`, preflight, 'OPTIONS')).status).toBe(204);
    expect((await fetch(`${keys.service.url}/k/${mine}${PRICED}`, { method: 'HEAD' })).status).toBe(200);
  });
});

describe('a key in a URL', () => {
  it.each([
    ['is empty', '', 'not_found'],
    ['is not a key', 'nonsense', 'api_key_invalid'],
    ['does not exist', mintApiKey('url'), 'api_key_invalid'],
    ['has another prefix', `${mintApiKey()}`, 'api_key_invalid'],
    ['is overlong', 'q'.repeat(5000), 'api_key_invalid'],
    ['is longer than a URL', 'q'.repeat(8200), 'uri_too_long'],
    ['has invalid encoding', '%', 'api_key_invalid'],
    ['contains a line break', '%0d%0aX-Api-Key:x', 'api_key_invalid'],
    ['is a member of every object', '__proto__', 'api_key_invalid'],
  ])('that %s is rejected', async (_what, key, code) => {
    const received = await send(`/k/${key}${PRICED}`);
    expect(received).toMatchObject({
      code,
      headers: { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' },
    });
    expect((await send(`/k/${key}/v1/tokens`)).status).toBe(received.status);
  });

  it('is rejected beside a different key in a header, whichever of them is valid', async () => {
    const basic = `Authorization: Basic ${btoa(`${other}:`)}\r\n`;
    for (const fields of [`X-Api-Key: ${other}\r\n`, `Authorization: Bearer ${other}\r\n`, basic, 'X-Api-Key: x\r\n']) {
      expect((await send(`/k/${mine}${PRICED}`, fields)).code).toBe('invalid_request');
      expect((await send(`/k/${mine}/v1/tokens`, fields)).code).toBe('invalid_request');
    }
    expect((await send(`/k/${mine}${PRICED}`, `X-Api-Key: ${mine}\r\n`)).status).toBe(200);
    expect((await send(`/k/${mine}${PRICED}`, `Authorization: Basic ${btoa('ada:lovelace')}\r\n`)).status).toBe(200);
  });

  it('does not let the query contain another key', async () => {
    expect((await send(`/k/${mine}/v1/prices/stream?tokenNames=btc&ticket=${'x'.repeat(43)}`, '', 'HEAD')).status).toBe(
      200,
    );
    expect((await send(`/k/${owner}/v1/prices/stream?tokenNames=btc&ticket=${'x'.repeat(43)}`)).code).toBe(
      'key_not_for_urls',
    );
  });
});

describe('a shared cache', () => {
  const PATHS = [
    ['GET', PRICED],
    ['GET', '/v1/tokens'],
    ['GET', '/v1/prices/history/days?tokenName=bitcoin&days=30'],
    ['GET', '/v1/prices/history/date?tokenName=bitcoin&date=01-01-2026'],
    ['GET', '/v1/prices/latest/stats?token=btc'],
    ['POST', '/v1/prices/stream/tickets'],
    ['GET', '/v1/node/node_info'],
    ['GET', '/v1/nothing'],
    ['POST', '/mcp'],
  ] as const;

  it.each(PATHS)('must not store the response to %s %s', async (method, path) => {
    const length = method === 'POST' ? 'Content-Length: 0\r\n' : '';
    for (let n = 0; n < 2; n++) {
      const { headers } = await send(`/k/${mine}${path}`, length, method);
      expect(headers['cache-control']).toMatch(/\b(private|no-store)\b/);
      expect(headers['cache-control']).not.toMatch(/\b(public|s-maxage)\b/);
      expect(headers['referrer-policy']).toBe('no-referrer');
    }
  });

  it('receives a 304 only for a valid key', async () => {
    const { headers } = await send(`/k/${mine}${PRICED}`);
    const etag = `If-None-Match: ${headers.etag}\r\n`;
    const unchanged = await send(`/k/${other}${PRICED}`, etag);
    expect([unchanged.status, unchanged.headers['referrer-policy']]).toEqual([304, 'no-referrer']);
    expect(unchanged.headers['cache-control']).toMatch(/^private/);
    expect((await send(`/k/${mintApiKey('url')}${PRICED}`, etag)).status).toBe(401);
  });

  it('each key is charged for its own requests, although they share the response', async () => {
    const used = async (key: string) =>
      ((await keys.ask('GET', '/v1/user/usage', key)).body as unknown as { used: number }).used;
    const before = [await used(mine), await used(other)];
    for (let n = 0; n < 3; n++) await send(`/k/${mine}${PRICED}`);
    expect([await used(mine), await used(other)]).toEqual([(before[0] ?? 0) + 3, before[1]]);
  });

  it('headers without a key in the URL stay as they were', async () => {
    const { headers } = await keys.ask('GET', PRICED, mine);
    expect(headers.get('referrer-policy')).toBeNull();
  });
});
