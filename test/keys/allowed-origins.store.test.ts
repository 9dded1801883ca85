import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createdKeyRecord } from '#keys/keys-records';
import { openEvents } from '../support/service/event-stream.ts';
import { PRICED } from '../support/service/hammer.ts';
import { type Body, hasErrorsOfItsOwn, type Keys, openKeys } from './keys-harness.ts';

/* Keys that only pages of some origins can use. */

const [SHOP, OTHER] = ['https://shop.example', 'https://other.example'];
type Faulty = Body & { errors: { location: string }[] };

let keys: Keys;
let owner: string;
beforeAll(async () => {
  keys = await openKeys(Date.UTC(2026, 0, 31, 12, 0, 30), { CORS_ORIGINS: `${SHOP},${OTHER}` });
});
afterAll(() => keys?.service.close());
beforeEach(async () => {
  owner = await keys.service.register();
});

const restricted = (allowedOrigins = SHOP, scopes = 'prices') => keys.make(owner, { allowedOrigins, scopes });

async function change(id: number, allowedOrigins: unknown) {
  const response = await fetch(`${keys.service.url}/v1/user/keys/${id}`, {
    method: 'PATCH',
    headers: { 'x-api-key': owner, 'content-type': 'application/json' },
    body: JSON.stringify({ allowedOrigins }),
  });
  return { status: response.status, body: (await response.json()) as Faulty & { allowedOrigins: string[] | null } };
}

async function outcome(key: string, origin: string | undefined, path = PRICED, method = 'GET') {
  const { status, body } = await keys.ask(method, path, key, origin === undefined ? {} : { origin });
  return body.code ?? status;
}

describe('the origins of a key', () => {
  it('are returned in the form that browsers send, without duplicates', async () => {
    const given = ' HTTPS://Shop.Example:443, https://shop.example,http://localhost:5173,https://bücher.example:8443';
    const browsers = [SHOP, 'http://localhost:5173', 'https://xn--bcher-kva.example:8443'];
    const { body } = await keys.ask(
      'POST',
      `/v1/user/keys?${new URLSearchParams({ label: 'a', allowedOrigins: given })}`,
      owner,
    );
    expect(createdKeyRecord.strict().parse(body).allowedOrigins).toEqual(browsers);
    expect(await keys.list(owner)).toMatchObject([{ allowedOrigins: browsers }, { allowedOrigins: null }]);
    const addresses = ['http://127.0.0.1:80', 'http://[::1]:8080', 'http://0x7f.1'];
    const { body: changed } = await change(body.id, addresses);
    expect(changed.allowedOrigins).toEqual(['http://127.0.0.1', 'http://[::1]:8080']);
  });

  it('are rejected without a scheme, which the message names', async () => {
    const query = new URLSearchParams({ label: 'a', allowedOrigins: `${SHOP},localhost:3000` });
    const { body } = await keys.ask('POST', `/v1/user/keys?${query}`, owner);
    expect(body).toMatchObject({ errors: [{ message: expect.stringMatching(/http:\/\/.* 2$/) }] });
  });

  it('that the operator has not allowed are listed when the key is created', async () => {
    const own = keys.service.url;
    const { blockedOrigins } = createdKeyRecord.parse(await restricted(`${SHOP},http://localhost:3000,${own}`));
    expect(blockedOrigins).toEqual(['http://localhost:3000']);
    expect(createdKeyRecord.parse(await keys.make(owner)).blockedOrigins).toEqual([]);
  });

  it('are at most ten, and none if the list is empty', async () => {
    const ten = Array.from({ length: 10 }, (_, n) => `https://a${n}.example`);
    const { id } = await restricted(ten.join());
    expect((await change(id, [...ten, 'https://b.example'])).body.errors).toMatchObject([
      { location: 'body.allowedOrigins' },
    ]);
    expect((await change(id, [])).body.allowedOrigins).toBeNull();
    expect((await change(id, ten)).body.allowedOrigins).toEqual(ten);
    expect((await change(id, null)).body.allowedOrigins).toBeNull();
  });

  it.each([
    '',
    ',',
    '*',
    'null',
    'shop.example',
    'https://',
    'https://shop.example/',
    'https://shop.example/a',
    'https://shop.example?a',
    'https://shop.example#a',
    'https://ada@shop.example',
    'https://shop.example:99999',
    'https://*.example',
    'https://sh op.example',
    'https://shop.example\\a',
    'ftp://shop.example',
    'file:///shop',
    'chrome-extension://abcdef',
    `https://${'a'.repeat(280)}`,
    `${SHOP},https://shop.example/a`,
  ])('are rejected: %j', async (allowedOrigins) => {
    const query = new URLSearchParams({ label: 'a', allowedOrigins });
    const { body } = await keys.ask('POST', `/v1/user/keys?${query}`, owner);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ location: 'query.allowedOrigins' }] });
    expect(await keys.list(owner)).toHaveLength(1);
    const { id } = await keys.make(owner);
    const changed = await change(id, allowedOrigins.split(','));
    expect(changed.body).toMatchObject({ code: 'invalid_request', errors: [{ location: 'body.allowedOrigins' }] });
  });

  it('are exported, and erased with the user', async () => {
    await restricted();
    const { body } = await keys.ask('GET', '/v1/user/export', owner);
    expect((body as unknown as { keys: object[] }).keys).toContainEqual(
      expect.objectContaining({ allowedOrigins: [SHOP] }),
    );
    const userKey = await keys.userOf(owner);
    await keys.ask('DELETE', '/v1/user', owner);
    const rows = await keys.service.database.prisma.apiKey.findMany({ where: { userKey } });
    expect(rows.map(({ allowedOrigins }) => allowedOrigins)).toEqual([[], []]);
  });
});

describe('a restricted key', () => {
  it('is accepted only with an allowed origin, in the framework and on the fast path', async () => {
    const { id, apiKey } = await restricted();
    for (let n = 0; n < 3; n++) {
      expect(await outcome(apiKey, SHOP)).toBe(200);
      const refused = [undefined, OTHER, 'null', '', `${SHOP}/`, `${SHOP}, ${OTHER}`, SHOP.toUpperCase()];
      for (const origin of refused) expect(await outcome(apiKey, origin), origin).toBe('origin_not_allowed');
    }
    expect((await keys.ask('GET', '/v1/user/usage', owner)).body).toMatchObject({ used: 3 });
    await change(id, [OTHER]);
    expect([await outcome(apiKey, SHOP), await outcome(apiKey, OTHER)]).toEqual(['origin_not_allowed', 200]);
    await change(id, null);
    expect(await outcome(apiKey, undefined)).toBe(200);
  });

  it('is rejected on every path that accepts a key', async () => {
    const { apiKey } = await restricted(SHOP, 'prices,node');
    const { paths } = (await (await keys.service.get('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { 'x-scope'?: string; security?: object[] }>>;
    };
    let rejections = 0;
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { security = [] }] of Object.entries(operations)) {
        if (security.length === 0 || path === '/v1/user/data') continue;
        const code = await outcome(apiKey, OTHER, path.replace(/\{\w+\}/g, '7'), method.toUpperCase());
        expect(code, `${method} ${path}`).toBe(hasErrorsOfItsOwn(path) ? 403 : 'origin_not_allowed');
        rejections += 1;
      }
    }
    expect(rejections).toBeGreaterThan(20);
    for (const path of ['/v1/user/data', `/v1/user/data?api=${apiKey}`]) {
      expect(await outcome(apiKey, OTHER, path)).toBe('origin_not_allowed');
      expect(await outcome(apiKey, SHOP, path)).toBe(200);
    }
  });

  it('does not reveal the origins, and its page can read the problem', async () => {
    const { apiKey } = await restricted();
    for (let n = 0; n < 2; n++) {
      const { status, body, headers } = await keys.ask('GET', PRICED, apiKey, { origin: OTHER });
      expect([status, JSON.stringify(body).includes(SHOP)]).toEqual([403, false]);
      expect([headers.get('access-control-allow-origin'), headers.get('cache-control')]).toEqual([OTHER, 'no-store']);
    }
  });

  it("accepts the service's own origin if a browser states it", async () => {
    const { url } = keys.service;
    const { apiKey } = await restricted(url);
    const ask = async (site: string) => (await keys.ask('GET', PRICED, apiKey, { 'sec-fetch-site': site })).status;
    for (let n = 0; n < 2; n++)
      expect([await ask('same-origin'), await ask('same-site'), await ask('none')]).toEqual([200, 403, 403]);
    const { apiKey: shop } = await restricted();
    expect((await keys.ask('GET', PRICED, shop, { 'sec-fetch-site': 'same-origin' })).status).toBe(403);
  });

  it('gives its restriction to its tickets', async () => {
    const { apiKey } = await restricted();
    const issue = async () => (await keys.ask('POST', '/v1/prices/stream/tickets', apiKey, { origin: SHOP })).body;
    expect(await outcome(apiKey, OTHER, '/v1/prices/stream/tickets', 'POST')).toBe('origin_not_allowed');
    const open = async (headers: Record<string, string>) => {
      const { ticket } = (await issue()) as unknown as { ticket: string };
      const stream = await openEvents(`${keys.service.url}/v1/prices/stream?tokenNames=btc&ticket=${ticket}`, {
        headers,
      });
      const code = stream.code() ?? stream.status;
      stream.close();
      return code;
    };
    expect([await open({ origin: SHOP }), await open({ origin: OTHER }), await open({})]).toEqual([
      200,
      'origin_not_allowed',
      'origin_not_allowed',
    ]);
  });

  it('is rejected by the MCP server as well', async () => {
    const { apiKey } = await restricted();
    const list = async (origin?: string) => {
      const response = await fetch(`${keys.service.url}/mcp`, {
        method: 'POST',
        headers: {
          'x-api-key': apiKey,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(origin !== undefined && { origin }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      });
      const { code } = (await response.json()) as { code?: string };
      return code ?? response.status;
    };
    expect([await list(SHOP), await list(OTHER), await list()]).toEqual([
      200,
      'origin_not_allowed',
      'origin_not_allowed',
    ]);
  });
});
