import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY, iso } from '#core/clock';
import { isApiKey } from '#keys/api-key';
import { createdKeyRecord } from '#keys/keys-records';
import { openEvents } from '../support/service/event-stream.ts';
import { PRICED } from '../support/service/hammer.ts';
import { startService } from '../support/service/service.ts';
import { type Body, type Keys, openKeys } from './keys-harness.ts';

/* Keys in the path of a URL, for clients that cannot send headers. */

const START = Date.UTC(2026, 0, 31, 12, 0, 30);
const NODE = '/v1/node/node_info';

let keys: Keys;
let owner: string;
beforeAll(async () => {
  keys = await openKeys(START, (sandbox) => ({ NODE_URLS: sandbox.cosmosNodeUrl, BASE_PATH: '/market' }));
});
afterAll(() => keys?.service.close());
beforeEach(async () => {
  owner = await keys.service.register();
});

type UrlKey = Body & { url: string };
const makeUrlKey = async (query: Record<string, string> = {}) =>
  (await keys.make(owner, { url: 'true', dailyLimit: '50', ...query })) as UrlKey;

/** Sends a request without headers. Returns the problem's code, or the status. */
async function outcome(url: string, init?: RequestInit): Promise<string | number> {
  const response = await fetch(url, init);
  const text = await response.text();
  return response.status < 400 ? response.status : (JSON.parse(text) as Body).code || response.status;
}

const exposedAt = async () => {
  await keys.service.parts.allowance.writeUse();
  return (await keys.list(owner)).map((one) => (one as unknown as { exposedAt: string | null }).exposedAt);
};

describe('a URL key', () => {
  it('is created with a daily limit, and returned once with the base URL of its requests', async () => {
    const { status, body, headers } = await keys.ask(
      'POST',
      '/v1/user/keys?label=sheet&url=true&scopes=prices,node&dailyLimit=50',
      owner,
    );
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { apiKey, start, url } = createdKeyRecord.strict().parse(body);
    expect(apiKey).toMatch(/^qu_[0-9A-Za-z]{38}$/);
    expect(isApiKey(apiKey)).toBe(true);
    expect(url).toBe(`${keys.service.url}/k/${apiKey}`);
    const listed = await keys.list(owner);
    expect(listed[0]).toMatchObject({ start, url: true, dailyLimit: 50, exposedAt: null });
    expect(listed[1]).toMatchObject({ url: false, exposedAt: null });
    expect(start).toBe(apiKey.slice(0, 7));
    expect(JSON.stringify(listed)).not.toContain(apiKey);
  });

  it('is created by a JSON body, too, and has the public URL of the service', async () => {
    const settings = { PUBLIC_URL: 'https://quotes.example/market', BASE_PATH: '/market' };
    const other = await startService({ clock: keys.clock, database: keys.service.database, settings });
    const response = await fetch(`${other.url}/v1/user/keys`, {
      method: 'POST',
      headers: { 'x-api-key': owner, 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'sheet', url: true, dailyLimit: 5, scopes: ['node'] }),
    });
    const { apiKey, url } = (await response.json()) as UrlKey;
    await other.close();
    expect([response.status, url]).toEqual([201, `https://quotes.example/market/k/${apiKey}`]);
  });

  it.each([
    ['without a daily limit', { url: 'true' }, 'query.dailyLimit'],
    ['with the scope account', { url: 'true', dailyLimit: '5', scopes: 'account' }, 'query.scopes'],
    ['with another value of url', { url: 'yes', dailyLimit: '5' }, 'query.url'],
  ])('is rejected %s', async (_what, query, location) => {
    const { status, body } = await keys.ask(
      'POST',
      `/v1/user/keys?${new URLSearchParams({ label: 'x', ...query })}`,
      owner,
    );
    expect([status, body]).toMatchObject([400, { code: 'invalid_request', errors: [{ location }] }]);
  });

  it.each([
    ['lose its daily limit', { dailyLimit: null }, 'body.dailyLimit'],
    ['become another key', { url: false, label: 'x' }, 'body.url'],
  ])('cannot %s', async (_what, changes, location) => {
    const { id } = await makeUrlKey();
    const response = await fetch(`${keys.service.url}/v1/user/keys/${id}`, {
      method: 'PATCH',
      headers: { 'x-api-key': owner, 'content-type': 'application/json' },
      body: JSON.stringify(changes),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ location }] }]);
    expect((await keys.list(owner))[0]).toMatchObject({ url: true, dailyLimit: 50 });
  });

  it('serves the paths of its scopes from the same memory and with the same charge as a key in a header', async () => {
    const { apiKey, url } = await makeUrlKey({ scopes: 'prices,node' });
    const received = [];
    for (const at of [`${url}${PRICED}`, `${keys.service.url}${PRICED}`, `${url}${PRICED}`]) {
      const response = await fetch(at, { headers: at.startsWith(url) ? {} : { 'x-api-key': apiKey } });
      received.push([response.status, response.headers.get('etag'), await response.text()]);
    }
    expect(new Set(received.map((one) => JSON.stringify(one))).size).toBe(1);
    const usage = (await keys.ask('GET', '/v1/user/usage?by=key', owner)).body as unknown as {
      used: number;
      keys: { start: string; calls: number }[];
    };
    expect(usage.used).toBe(3);
    expect(await outcome(`${url}/v1/tokens`)).toBe(200);
    expect(await outcome(`${url}${NODE}`)).toBe(200);
    expect(await outcome(`${url}/v1/prices/history/ohlc?tokenName=btc&fromDate=2026-01-01&thruDate=2026-01-02`)).toBe(
      200,
    );
    expect(await outcome(`${keys.service.url}/v1/user/data?api=${apiKey}`)).toBe(200);
  });

  it('reads a list of tools and calls one over MCP', async () => {
    const { url } = await makeUrlKey();
    const call = (method: string, params: object = {}) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
    const listed = await (await call('tools/list')).text();
    expect(listed).toContain('get_latest_prices');
    expect(listed).not.toContain('get_balances');
    const prices = await call('tools/call', { name: 'get_latest_prices', arguments: { tokenNames: ['btc'] } });
    expect(await prices.json()).toMatchObject({ result: { structuredContent: { source: 'coingecko' } } });
  });

  it('opens a price stream without a header, as EventSource does, which ends when the key is revoked', async () => {
    const { id, url } = await makeUrlKey();
    const stream = await openEvents(`${url}/v1/prices/stream?tokenNames=btc`);
    await stream.until(() => stream.events.length > 0);
    expect(stream.events[0]?.event).toBe('price');
    expect(stream.headers['referrer-policy']).toBe('no-referrer');
    await keys.ask('DELETE', `/v1/user/keys/${id}`, owner);
    await stream.until(() => stream.events.some(({ event }) => event === 'problem'));
    expect(stream.events.at(-1)?.data).toContain('api_key_revoked');
    stream.close();
  });

  it('can be limited to the pages of an origin', async () => {
    const { url } = await makeUrlKey({ allowedOrigins: 'https://shop.example' });
    expect(await outcome(`${url}${PRICED}`)).toBe('origin_not_allowed');
    expect(await outcome(`${url}${PRICED}`, { headers: { origin: 'https://shop.example' } })).toBe(200);
  });
});

describe('the daily limit of a URL key', () => {
  it('counts charged calls and requests to the node, of all processes, until the next UTC day', async () => {
    const { apiKey, url } = await makeUrlKey({ scopes: 'prices,node', dailyLimit: '5' });
    for (const path of [PRICED, NODE, NODE]) expect(await outcome(`${url}${path}`)).toBe(200);
    expect(await outcome(keys.service.url + NODE, { headers: { 'x-api-key': apiKey } })).toBe(200);
    await keys.service.parts.allowance.settle();
    await keys.service.parts.allowance.poll();
    const other = await startService({
      clock: keys.clock,
      database: keys.service.database,
      settings: { BURST_PER_SECOND: '0', NODE_URLS: keys.service.sandbox.cosmosNodeUrl },
    });
    const there = `${other.url}/k/${apiKey}`;
    expect(await outcome(`${there}${NODE}`)).toBe(200);
    for (const path of [NODE, PRICED]) expect(await outcome(`${there}${path}`)).toBe('key_limit_exceeded');
    await other.close();
    await keys.service.parts.allowance.poll();
    expect(await outcome(`${url}${NODE}`)).toBe('key_limit_exceeded');
    const call = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'get_balances', arguments: { address: 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn' } },
    });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const mcp = await fetch(`${url}/mcp`, { method: 'POST', headers, body: call });
    expect(await mcp.json()).toMatchObject({ result: { isError: true } });
    expect(await keys.outcome('GET', NODE, owner)).toBe(200);
    await keys.moveTo(keys.clock.now() + DAY);
    expect(await outcome(`${url}${NODE}`)).toBe(200);
  });

  it('does not count requests to the node of other keys', async () => {
    const { apiKey } = await keys.make(owner, { scopes: 'node', dailyLimit: '1' });
    for (let n = 0; n < 3; n++) expect(await keys.outcome('GET', NODE, apiKey)).toBe(200);
  });
});

describe('another key in a URL', () => {
  it('is rejected on every path that is served there, and listed with the time when it was first seen', async () => {
    const { apiKey } = await keys.make(owner, { scopes: 'prices,node' });
    const first = iso(keys.clock.now());
    // The first request with the owner key in a header is cached, so that the fast path sees the others.
    expect(await keys.outcome('GET', PRICED, apiKey)).toBe(200);
    for (const path of [PRICED, '/v1/tokens', NODE, '/v1/prices/latest/token'])
      expect(await outcome(`${keys.service.url}/k/${apiKey}${path}`), path).toBe('key_not_for_urls');
    expect(await outcome(`${keys.service.url}/k/${apiKey}/mcp`, { method: 'POST' })).toBe('key_not_for_urls');
    expect(await exposedAt()).toEqual([first, null]);
    keys.clock.pass(5000);
    expect(await outcome(`${keys.service.url}/k/${owner}${PRICED}`)).toBe('key_not_for_urls');
    expect(await outcome(`${keys.service.url}/k/${apiKey}${PRICED}`)).toBe('key_not_for_urls');
    expect(await exposedAt()).toEqual([first, iso(keys.clock.now())]);
    expect((await keys.list(owner))[0]).toMatchObject({ lastUsedAt: expect.any(String) });
  });

  it('that was never used has no last use', async () => {
    const { apiKey } = await keys.make(owner);
    expect(await outcome(`${keys.service.url}/k/${apiKey}${PRICED}`)).toBe('key_not_for_urls');
    expect(await exposedAt()).toEqual([iso(keys.clock.now()), null]);
    expect((await keys.list(owner))[0]).toMatchObject({ lastUsedAt: null });
  });
});
