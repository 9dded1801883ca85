import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintApiKey } from '#keys/api-key';
import { PRICED } from '../support/service/hammer.ts';
import { type Service, startService } from '../support/service/service.ts';
import { exchange } from '../support/service/socket.ts';

const MNEMONIC = 'abandon ability able about above absent absorb abstract absurd abuse access accident';

let service: Service;
beforeAll(async () => {
  service = await startService({ settings: { LOG_LEVEL: 'trace', LOG_REQUESTS: 'all' } });
});
afterAll(() => service?.close());

/** Requests with a secret in each possible location. */
function placesOf(secret: string): { name: string; request: string }[] {
  const encoded = encodeURIComponent(secret);
  const at = (name: string, target: string, headers: Record<string, string> = {}, method = 'GET', body = '') => {
    const lines = Object.entries({ host: 'quotient', ...headers, 'content-length': String(body.length) });
    const head = [`${method} ${target} HTTP/1.1`, ...lines.map(([field, value]) => `${field}: ${value}`)];
    return { name, request: `${head.join('\r\n')}\r\n\r\n${body}` };
  };
  return [
    at('header', PRICED, { 'x-api-key': secret }),
    at('header twice', PRICED, { 'x-api-key': `${secret}, ${secret}` }),
    at('header of free call', '/v1/user/usage', { 'x-api-key': secret }),
    at('query api', `/v1/user/rotate?api=${encoded}`, {}, 'POST'),
    at('query of a priced call', `${PRICED}&api=${encoded}&unknown=${encoded}`, { 'x-api-key': secret }),
    at('query mnemonic', `${PRICED}&mnemonic=${encoded}`),
    at('query mnemonic on an unknown path', `/${encoded}?mnemonic=${encoded}`),
    at('known parameter', `/v1/prices/latest/token?tokenName=${encoded}`, { 'x-api-key': secret }),
    at('parameter name', `${PRICED}&${encoded}=1`, { 'x-api-key': secret }),
    at('name of a user', `/v1/user/create?name=${encoded}&email=${encoded}&plan=${encoded}`, {}, 'POST'),
    at('malformed query', `${PRICED}&x=%E0%A4%A&api=${encoded}`),
    at('path', `/v1/user/${encoded}`),
    at('malformed path', `/v1/%E0%A4%A/${encoded}`),
    at('body', '/v1/user/create', { 'content-type': 'application/json' }, 'POST', JSON.stringify({ api: secret })),
    at('request id', PRICED, { 'x-request-id': encoded }),
    at('authorization', PRICED, { authorization: `Bearer ${secret}`, cookie: `key=${encoded}` }),
    at('basic', PRICED, { authorization: `Basic ${btoa(`${secret}:`)}` }),
    at('basic as a password', PRICED, { authorization: `Basic ${btoa(`:${secret}`)}`, 'x-api-key': 'other' }),
    at('basic as a request id', PRICED, { 'x-request-id': btoa(`${secret}:`) }),
    at('basic echoed', `/v1/user/create?name=${encoded}`, { authorization: btoa(`:${secret}`) }, 'POST'),
    at('referer', PRICED, { referer: `http://127.0.0.1/?api=${encoded}`, 'user-agent': secret }),
    at('method', '/v1/tokens', { 'x-api-key': secret }, 'DELETE'),
    at('broken request', `/ HTTP/9.9\r\nx: ${secret}`),
  ];
}

const forms = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  secret.replaceAll(' ', '+'),
  btoa(`${secret}:`),
  btoa(`:${secret}`),
];

it.each([
  ['a known key', () => service.register()],
  ['an unknown key', async () => mintApiKey()],
  ['a seed phrase', async () => MNEMONIC],
])('%s is neither logged nor returned, wherever it is sent', async (_what, make) => {
  const secret = await make();
  for (const { name, request } of placesOf(secret)) {
    const { status, headers, body } = await exchange(service.url, request);
    const response = `${JSON.stringify(headers)}${body}`;
    for (const form of forms(secret)) expect(response.includes(form), `${name} → ${status} ${response}`).toBe(false);
  }
  expect(service.logLines.length).toBeGreaterThan(0);
  for (const form of forms(secret)) expect(service.logLines.filter((line) => line.includes(form))).toEqual([]);
});

it('a key is returned only to its owner, in the user record, with Cache-Control: no-store', async () => {
  const key = await service.register();
  for (const response of [await service.get(`/v1/user/data?api=${key}`), await service.get('/v1/user/data', { key })]) {
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.json()).toMatchObject({ apiKey: key });
  }
  expect(service.logLines.filter((line) => line.includes(key))).toEqual([]);
});

it('an internal error reveals neither its message nor the key', async () => {
  const key = await service.register();
  expect((await service.get(PRICED, { key })).status).toBe(200);
  const { latest } = service.parts.market;
  service.parts.market.latest = () => {
    throw new Error(`a fault that names ${key} and the table of secrets`);
  };
  // The URL differs, so that the request reaches the route instead of the cache.
  const response = await service.get(`${PRICED}&again`, { key });
  service.parts.market.latest = latest;
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(JSON.parse(text)).toMatchObject({ code: 'internal_error' });
  expect(text).not.toMatch(/secrets|qt_[0-9A-Za-z]/);
  expect(service.logLines.filter((line) => line.includes('the table of secrets'))).not.toEqual([]);
  expect(service.logLines.filter((line) => line.includes(key))).toEqual([]);
});
