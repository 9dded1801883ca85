import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRICED } from '../support/service/hammer.ts';
import { type Service, startService } from '../support/service/service.ts';

let service: Service;
let key: string;
let other: string;
beforeAll(async () => {
  service = await startService({
    settings: { CORS_ORIGINS: 'https://wallet.example', BURST_PER_SECOND: '0' },
  });
  [key, other] = [await service.register(), await service.register()];
});
afterAll(() => service?.close());

const basic = (text: string) => `Basic ${btoa(text)}`;
/** The supported forms of the Authorization header. */
const WAYS: Record<string, (of: string) => string> = {
  Bearer: (of) => `Bearer ${of}`,
  'Basic, as the user name': (of) => basic(`${of}:`),
  'Basic, as the password': (of) => basic(`:${of}`),
};

async function send(path: string, headers: Record<string, string>, method = 'GET') {
  const response = await fetch(`${service.url}${path}`, { method, headers });
  const body = (await response.json()) as {
    code?: string;
    used?: number;
    apiKey?: string;
    errors?: { location: string; fix: string }[];
  };
  return { status: response.status, headers: response.headers, body };
}

describe.each(Object.entries(WAYS))('an API key in Authorization: %s', (_name, way) => {
  it('reads prices, uncached and from the response cache, and is charged once per call', async () => {
    const before = (await send('/v1/user/usage', { 'x-api-key': key })).body.used ?? 0;
    for (let i = 0; i < 3; i++) expect((await send(PRICED, { authorization: way(key) })).status).toBe(200);
    expect((await send('/v1/user/usage', { authorization: way(key) })).body.used).toBe(before + 3);
  });

  it('returns the user record with this key, and can be rotated', async () => {
    const own = await service.register();
    expect(await send('/v1/user/data', { authorization: way(own) })).toMatchObject({
      status: 200,
      body: { apiKey: own },
    });
    const rotated = await send('/v1/user/rotate', { authorization: way(own) }, 'POST');
    expect(rotated.status).toBe(200);
    expect(rotated.body.apiKey).not.toBe(own);
    const { apiKey = '' } = rotated.body;
    expect((await send('/v1/user/usage', { authorization: way(apiKey) })).status).toBe(200);
  });

  it('is invalid in any form if the key does not exist', async () => {
    for (const unknown of ['nonsense', `${key}x`]) {
      const { status, headers, body } = await send(PRICED, { authorization: way(unknown) });
      expect([status, body.code]).toEqual([401, 'api_key_invalid']);
      expect(headers.get('www-authenticate')).toBe('ApiKey');
    }
  });

  it('is rejected on every path if X-API-KEY contains a different key, and neither key is charged', async () => {
    for (const path of [PRICED, '/v1/user/usage', '/v1/user/data']) {
      const { status, body } = await send(path, { 'x-api-key': other, authorization: way(key) });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.errors).toMatchObject([{ location: 'header.authorization' }]);
    }
    expect((await send('/v1/user/usage', { 'x-api-key': other })).body.used).toBe(0);
    expect((await send(PRICED, { 'x-api-key': key, authorization: way(key) })).status).toBe(200);
  });
});

it('ignores an Authorization header without a key if X-API-KEY is present, and does not accept it as a key', async () => {
  for (const authorization of [basic('ada:lovelace'), 'Digest x', 'Basic', basic(`${key}:password`)]) {
    expect((await send(PRICED, { 'x-api-key': key, authorization })).status).toBe(200);
    expect(await send(PRICED, { authorization })).toMatchObject({
      status: 401,
      body: { code: 'api_key_missing' },
    });
  }
});

it('rejects a key in the query on routes that do not support it, and names the right header', async () => {
  for (const [path, method] of [
    [`${PRICED}&api=${key}`, 'GET'],
    [`/v1/user/usage?api=${key}`, 'GET'],
    [`/v1/user/rotate?api=${key}`, 'POST'],
    [`/v1/node/txs?api=${key}`, 'GET'],
  ] as const) {
    const { status, body } = await send(path, {}, method);
    expect([status, body.code]).toEqual([401, 'api_key_missing']);
    expect(body.errors).toEqual([
      expect.objectContaining({ location: 'query.api', fix: expect.stringContaining('X-API-KEY') }),
    ]);
  }
  // On this route, the key in the query takes precedence, and the headers are ignored.
  const beside = { 'x-api-key': other, authorization: basic('ada:lovelace') };
  expect((await send(`/v1/user/data?api=${key}`, beside)).body.apiKey).toBe(key);
});

it('allows a page from an allowed origin to send Authorization', async () => {
  const response = await fetch(`${service.url}${PRICED}`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://wallet.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  });
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-headers')).toBe('authorization');
});
