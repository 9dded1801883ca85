import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '#core/clock';
import { createTestClock } from '../../fixtures/clock.ts';
import { type Service, startService } from '../support/service/service.ts';

const BASE_PATH = '/market';
const PRICE = '/v1/prices/latest/token?tokenName=bitcoin';
const clock = createTestClock('2026-01-31T12:00:00Z');

let service: Service;
beforeAll(async () => {
  service = await startService({ clock, settings: { BASE_PATH, BURST_PER_SECOND: '0' } });
});
afterAll(() => service?.close());

type Entry = Record<'time' | 'method' | 'path' | 'keyLabel' | 'code' | 'detail' | 'help', string | null> &
  Record<'keyId' | 'status' | 'cost' | 'milliseconds', number>;
type Log = { complete: boolean; recordingSince: string | null; requests: Entry[] };

async function read(key: string, from = service) {
  const response = await from.get('/v1/user/requests', { key });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Log & { code?: string },
  };
}
/** Reads the log until the response to the last request, which may still be ending, is listed. */
const entries = async (key: string, count: number): Promise<Entry[]> => {
  await expect.poll(async () => (await read(key)).body.requests.length).toBe(count);
  return (await read(key)).body.requests;
};
/** A user who reads the log, so that successful requests are recorded. */
async function registerReader(): Promise<string> {
  const key = await service.register();
  await read(key);
  return key;
}
/** Sends a request a second later, because the log is ordered by time. */
function later(...request: Parameters<Service['get']>): Promise<Response> {
  clock.advance(SECOND);
  return service.get(...request);
}
const brief = ({ method, path, status, code, cost }: Entry) => [method, path, status, code, cost];

async function makeKey(owner: string, query: string) {
  const response = await fetch(`${service.url}/v1/user/keys?${query}`, {
    method: 'POST',
    headers: { 'x-api-key': owner },
  });
  return (await response.json()) as { id: number; apiKey: string };
}

describe('the request log', () => {
  it('lists the calls of all keys of the user, newest first, with their labels', async () => {
    const owner = await registerReader();
    const start = clock.now();
    const shop = await makeKey(owner, 'label=shop%20window');
    // The first response is built by the framework, and the second one comes from the fast path.
    for (const key of [shop.apiKey, shop.apiKey, owner]) expect((await later(PRICE, { key })).status).toBe(200);
    const { status, headers, body } = await read(owner);
    expect([status, headers.get('cache-control'), body.complete]).toEqual([200, 'no-store', true]);
    expect(body.recordingSince).toBe(new Date(start).toISOString());
    const listed = await entries(owner, 4);
    expect(listed[1]).toEqual({
      ...{
        time: new Date(start + 2 * SECOND).toISOString(),
        keyId: shop.id,
        keyLabel: 'shop window',
        method: 'GET',
        path: PRICE,
      },
      ...{ status: 200, code: null, detail: null, help: null, cost: 1, milliseconds: expect.any(Number) },
    });
    expect(listed.map(({ keyLabel }) => keyLabel)).toEqual([null, 'shop window', 'shop window', null]);
    expect(brief(listed[3] as Entry)).toEqual(['POST', '/v1/user/keys?label=shop%20window', 201, null, 0]);
  });

  it('lists free, unchanged and rejected calls with their cost, and links to the problem', async () => {
    const key = await registerReader();
    const first = await later(PRICE, { key });
    const etag = first.headers.get('etag') ?? '';
    expect((await later(PRICE, { key, headers: { 'if-none-match': etag } })).status).toBe(304);
    const rejected = await later('/v1/prices/history/days?tokenName=bitcoin&days=x', { key });
    const problem = (await rejected.json()) as { status: number; detail: string };
    expect(problem.status).toBe(400);
    expect((await later('/v1/prices/latest/tokens?tokenNames=btc,eth', { key })).status).toBe(200);
    expect((await later('/v1/user/usage', { key })).status).toBe(200);
    expect((await later('/v1/node/node_info', { key })).status).toBe(503);
    const listed = await entries(key, 6);
    expect(listed.map(brief)).toEqual([
      ['GET', '/v1/node/node_info', 503, 'node_not_configured', 0],
      ['GET', '/v1/user/usage', 200, null, 0],
      ['GET', '/v1/prices/latest/tokens?tokenNames=btc,eth', 200, null, 1],
      ['GET', '/v1/prices/history/days?tokenName=bitcoin&days=x', 400, 'invalid_request', 0],
      ['GET', PRICE, 304, null, 0],
      ['GET', PRICE, 200, null, 1],
    ]);
    expect(listed[3]?.help).toBe(`${BASE_PATH}/docs/problems#invalid_request`);
    expect(listed.map(({ detail }) => detail).filter((detail) => detail === problem.detail)).toHaveLength(1);
    const failed = await service.get('/v1/user/requests?status=failed', { key });
    expect(((await failed.json()) as Log).requests.map(({ status }) => status)).toEqual([503, 400]);
    // A failed read of the log is listed too.
    expect((await later('/v1/user/requests?status=ok', { key })).status).toBe(400);
    expect((await entries(key, 7)).slice(0, 1).map(brief)).toEqual([
      ['GET', '/v1/user/requests?status=ok', 400, 'invalid_request', 0],
    ]);
  });

  it('lists failed requests always, and successful ones for an hour after the log was read', async () => {
    const key = await service.register();
    const rejected = '/v1/prices/latest/token?tokenName=unknown';
    for (const path of [PRICE, PRICE, rejected]) await later(path, { key });
    // The first read reports no recording, because there was none before it.
    const first = (await read(key)).body;
    expect([first.recordingSince, first.requests.map(({ path }) => path)]).toEqual([null, [rejected]]);
    const start = new Date(clock.now()).toISOString();
    for (const path of [PRICE, rejected]) await later(path, { key });
    expect((await entries(key, 3)).map(({ path }) => path)).toEqual([rejected, PRICE, rejected]);
    expect((await read(key)).body.recordingSince).toBe(start);
    clock.set(HOUR);
    for (const path of [PRICE, rejected]) await later(path, { key });
    const afterHour = (await read(key)).body;
    expect([afterHour.recordingSince, afterHour.requests.length]).toEqual([null, 3]);
    expect((await read(key)).body.recordingSince).toBe(new Date(clock.now()).toISOString());
  });

  it('does not list the requests of the console, also those that fail and those of the fast path', async () => {
    const key = await registerReader();
    const headers = { 'quotient-console': '1' };
    for (let i = 0; i < 3; i += 1) expect((await service.get(PRICE, { key, headers })).status).toBe(200);
    expect((await service.get('/v1/user/usage', { key, headers })).status).toBe(200);
    expect((await service.get('/v1/user/usage?by=x', { key, headers })).status).toBe(400);
    expect((await service.get('/v1/user/data', { key })).status).toBe(200);
    expect((await entries(key, 1)).map(({ path }) => path)).toEqual(['/v1/user/data']);
  });

  it('lists rejections of keys: of a missing scope, an expired plan and a spent allowance', async () => {
    const owner = await service.createUser({ limit: 1 });
    await read(owner);
    const shop = await makeKey(owner, 'label=shop');
    expect((await later('/v1/user/keys', { key: shop.apiKey })).status).toBe(403);
    for (const status of [200, 429]) expect((await later(PRICE, { key: owner })).status).toBe(status);
    const { key } = (await (await later('/v1/user/data', { key: owner })).json()) as { key: number };
    await service.database.prisma.user.update({
      where: { key },
      data: { validUntil: new Date(clock.now() - 1000), changedAt: new Date() },
    });
    await service.parts.accounts.allowance.sync();
    expect((await later(PRICE, { key: shop.apiKey })).status).toBe(401);
    const listed = await entries(owner, 6);
    expect(listed.map(({ status, code, keyId }) => [status, code, keyId === shop.id])).toEqual([
      [401, 'api_key_expired', true],
      [200, null, false],
      [429, 'quota_exceeded', false],
      [200, null, false],
      [403, 'scope_missing', true],
      [201, null, false],
    ]);
  });

  it('does not list its own reads, unknown paths, unknown keys and calls of other users', async () => {
    const [key, other] = [await registerReader(), await registerReader()];
    expect((await service.get('/v1/unknown', { key })).status).toBe(404);
    expect((await service.get(PRICE, { key: other })).status).toBe(200);
    expect((await service.get('/v1/tokens', { key })).status).toBe(200);
    expect(await entries(other, 1)).toHaveLength(1);
    expect((await read(key)).body).toMatchObject({ complete: true, requests: [] });
  });

  it('shows long details in part', async () => {
    const key = await service.register();
    const query = 'tokenName=&fromDate=x&thruDate=x&interval=x&currency=x';
    const rejected = await service.get(`/v1/prices/history/ohlc?${query}`, { key });
    const { detail } = (await rejected.json()) as { detail: string };
    expect(detail.length).toBeGreaterThan(300);
    const [listed] = await entries(key, 1);
    expect(listed?.detail).toBe(`${detail.slice(0, 299)}…`);
  });

  it('shows no key and no secret', async () => {
    const key = await registerReader();
    expect((await service.get(`/v1/user/data?api=${key}`)).status).toBe(200);
    expect((await service.get(`${PRICE}&mnemonic=abandon`, { key })).status).toBe(400);
    expect((await later(`${PRICE}&password=hunter2`, { key })).status).toBe(200);
    const listed = await entries(key, 2);
    expect(listed.map(({ path }) => path)).toEqual([`${PRICE}&password=…`, '/v1/user/data?api=…']);
    expect(JSON.stringify(listed)).not.toMatch(/qt_|hunter2|abandon/);
  });

  it('lists a request whose client disconnects before the response', async () => {
    const key = await service.register();
    const held = service.sandbox.faults.hold({ path: 'market_chart' });
    const leaving = new AbortController();
    const path = '/v1/prices/history/days?tokenName=ethereum&days=30';
    const response = fetch(`${service.url}${path}`, { headers: { 'x-api-key': key }, signal: leaving.signal });
    await held.arrived(1);
    leaving.abort();
    await expect(response).rejects.toThrow();
    expect((await entries(key, 1)).map(brief)).toEqual([['GET', path, 499, null, 0]]);
    held.release();
  });

  it('lists a stream when it starts', async () => {
    const key = await registerReader();
    const leaving = new AbortController();
    const stream = await fetch(`${service.url}/v1/prices/stream?tokenNames=bitcoin`, {
      headers: { 'x-api-key': key },
      signal: leaving.signal,
    });
    expect(stream.status).toBe(200);
    expect((await entries(key, 1)).map(brief)).toEqual([['GET', '/v1/prices/stream?tokenNames=bitcoin', 200, null, 1]]);
    leaving.abort();
    await expect.poll(() => service.parts.streamFigures.open).toBe(0);
    expect(await entries(key, 1)).toHaveLength(1);
  });

  it('lists the cost of a tool call, and the code of one that fails', async () => {
    const key = await registerReader();
    const call = (name: string, given: object) =>
      fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: {
          'x-api-key': key,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
      });
    expect((await call('get_latest_prices', { tokenNames: ['bitcoin'] })).status).toBe(200);
    expect((await call('get_latest_prices', { tokenNames: ['nothing'] })).status).toBe(200);
    expect((await entries(key, 2)).map(brief)).toEqual([
      ['POST', '/mcp', 200, 'invalid_request', 0],
      ['POST', '/mcp', 200, null, 1],
    ]);
  });

  it('has at most 100 successful requests besides failed ones, and no trace in the database', async () => {
    const key = await registerReader();
    expect((await service.get('/v1/user/usage?by=x', { key })).status).toBe(400);
    for (let i = 1; i <= 103; i += 1) await service.get(`${PRICE}&n=${i}`, { key });
    await expect.poll(async () => (await read(key)).body.requests.length).toBe(101);
    const tables = await service.database.prisma.$queryRaw<{ name: string }[]>`
      SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`;
    for (const { name } of tables) {
      const rows = await service.database.prisma.$queryRawUnsafe<unknown[]>(
        `SELECT 1 FROM "${name}" t WHERE strpos(row_to_json(t)::text, 'tokenName=bitcoin') > 0`,
      );
      expect([name, rows.length]).toEqual([name, 0]);
    }
  });

  it('requires the scope `account`', async () => {
    const shop = await makeKey(await service.register(), 'label=shop');
    expect(await read(shop.apiKey)).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
  });
});

it('with REQUEST_LOG=off, the response is 404, and nothing is listed', async () => {
  const off = await startService({ settings: { REQUEST_LOG: 'off' } });
  try {
    const key = await off.register();
    expect((await off.get(PRICE, { key })).status).toBe(200);
    expect((await off.get(PRICE, { key })).status).toBe(200);
    expect(await read(key, off)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(off.parts.accounts.gate.requestLog).toBeUndefined();
  } finally {
    await off.close();
  }
});
