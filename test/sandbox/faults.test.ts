import { get as httpGet, type IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/server';

const now = Date.parse('2026-05-15T14:42:25.300Z');
const chartPath = '/coins/bitcoin/market_chart?vs_currency=usd&days=1';
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ clock: { now: () => now } });
});
afterEach(() => sandbox.close());

const get = (path: string) => fetch(sandbox.coingeckoUrl + path);

/** The parts of a response that arrive before its connection is closed. */
async function piecesOf(path: string): Promise<{ status: number; pieces: string[]; complete: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  httpGet(sandbox.coingeckoUrl + path, { agent: false }, resolve).on('error', reject);
  const response = await promise;
  const pieces: string[] = [];
  try {
    for await (const piece of response) pieces.push(String(piece));
  } catch {
    // The response is incomplete, as `complete` shows.
  }
  return { status: response.statusCode ?? 0, pieces, complete: response.complete };
}

describe('responses', () => {
  test('delay: the normal response, later', async () => {
    const normal = await (await get(chartPath)).text();
    sandbox.faults.next({ kind: 'delay', ms: 5 });
    expect(await (await get(chartPath)).text()).toBe(normal);
  });

  test('status: a typical body, or a custom one', async () => {
    sandbox.faults.next({ kind: 'status', status: 502 });
    const page = await get('/ping');
    expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html; charset=UTF-8']);
    expect(await page.text()).toMatch(/^<!DOCTYPE html>/);

    sandbox.faults.next({ kind: 'status', status: 429 });
    const limited = await get('/ping');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, null]);
    expect(await limited.json()).toMatchObject({ status: { error_code: 429 } });

    sandbox.faults.next({ kind: 'status', status: 429, headers: { 'retry-after': '119' } });
    expect((await get('/ping')).headers.get('retry-after')).toBe('119');

    sandbox.faults.next({ kind: 'status', status: 500, body: { error: 'oh' } });
    expect(await (await get('/ping')).json()).toEqual({ error: 'oh' });

    sandbox.faults.next({ kind: 'status', status: 503, body: '<p>no</p>' });
    const own = await get('/ping');
    expect([own.headers.get('content-type'), await own.text()]).toEqual(['text/html; charset=UTF-8', '<p>no</p>']);
  });

  test('rateLimitUnder200', async () => {
    sandbox.faults.next({ kind: 'rateLimitUnder200' });
    const response = await get(chartPath);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: { error_code: 429 } });
  });

  test('html', async () => {
    sandbox.faults.next({ kind: 'html' });
    const response = await get(chartPath);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
  });

  test('truncated: half of the JSON in a complete response', async () => {
    const normal = await (await get(chartPath)).text();
    sandbox.faults.next({ kind: 'truncated' });
    const { status, pieces, complete } = await piecesOf(chartPath);
    expect({ status, complete }).toEqual({ status: 200, complete: true });
    expect(pieces.join('')).toBe(normal.slice(0, normal.length >> 1));
  });

  test('emptyChart', async () => {
    sandbox.faults.always({ kind: 'emptyChart' });
    expect(await (await get(chartPath)).json()).toEqual({ prices: [], market_caps: [], total_volumes: [] });
    expect(await (await get('/coins/markets?vs_currency=usd')).json()).toEqual([]);
  });

  test('wrongTypes', async () => {
    sandbox.faults.always({ kind: 'wrongTypes' });
    const { prices } = (await (await get(chartPath)).json()) as { prices: unknown[][] };
    expect(prices[0]).toEqual([{ wrong: expect.any(Number) }, { wrong: expect.any(Number) }]);
    const [record] = (await (await get('/coins/markets?vs_currency=usd')).json()) as object[];
    expect(record).toMatchObject({ id: 0, current_price: { wrong: expect.any(Number) }, ath_date: 0 });
  });

  test.each(['emptyChart', 'wrongTypes'] as const)('%s does not change a body that is not JSON', async (kind) => {
    sandbox.faults.always({ kind });
    const response = await fetch(`${sandbox.legacyNodeUrl}/nothing/here`);
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('404 page not found\n');
  });

  test('huge: the number of bytes, as incomplete JSON', async () => {
    sandbox.faults.next({ kind: 'huge', bytes: 3_000_001 });
    const text = await (await get(chartPath)).text();
    expect(text).toHaveLength(3_000_001);
    expect(text).toMatch(/^{"prices":\[\[\d+,/);
  });

  test('slow: one byte at a time', async () => {
    sandbox.faults.next({ kind: 'slow', everyMs: 1 });
    const { pieces, complete } = await piecesOf('/ping');
    expect(complete).toBe(true);
    expect(pieces.length).toBeGreaterThan(1);
    expect(JSON.parse(pieces.join(''))).toEqual({ gecko_says: '(V3) To the Moon!' });
  });
});

describe('broken connections', () => {
  test('reset: closed before the headers', async () => {
    sandbox.faults.next({ kind: 'reset' });
    await expect(piecesOf('/ping')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('resetMidway: closed after half of the body', async () => {
    const normal = await (await get(chartPath)).text();
    sandbox.faults.next({ kind: 'resetMidway' });
    const { status, pieces, complete } = await piecesOf(chartPath);
    expect({ status, complete }).toEqual({ status: 200, complete: false });
    expect(pieces.join('')).toBe(normal.slice(0, normal.length >> 1));
  });

  test.each(['hangBeforeHeaders', 'delay'] as const)('%s: no response until the server closes', async (kind) => {
    sandbox.faults.next(kind === 'delay' ? { kind, ms: 3_600_000 } : { kind });
    const hold = sandbox.faults.hold();
    const response = expect(piecesOf('/ping')).rejects.toMatchObject({ code: 'ECONNRESET' });
    await hold.arrived(1);
    hold.release();
    await turn();
    await sandbox.close();
    await response;
  });

  test.each(['hangMidway', 'slow'] as const)('%s: an incomplete response until the server closes', async (kind) => {
    sandbox.faults.next({ kind });
    const response = await get(chartPath);
    expect(response.status).toBe(200);
    const body = expect(response.text()).rejects.toThrow();
    await sandbox.close();
    await body;
  });
});

describe('the affected requests', () => {
  const statuses = async (...paths: string[]) => {
    const seen: number[] = [];
    for (const path of paths) seen.push((await get(path)).status);
    return seen;
  };

  test('next: the number of matching requests, in the order of the faults', async () => {
    sandbox.faults.next({ kind: 'status', status: 500 }, { times: 2 });
    sandbox.faults.next({ kind: 'status', status: 502 }, { path: '/ping' });
    expect(await statuses('/ping', '/ping', '/coins/markets?vs_currency=usd', '/ping', '/ping')).toEqual([
      ...[500, 500, 200, 502, 200],
    ]);
  });

  test('a pattern matches with or without the query', async () => {
    sandbox.faults.always({ kind: 'status', status: 500 }, { path: /market_chart$/g });
    sandbox.faults.always({ kind: 'status', status: 502 }, { path: /days=2$/ });
    const chart = '/coins/bitcoin/market_chart?vs_currency=usd&days=';
    const all = await statuses(`${chart}1`, `${chart}1`, `${chart}2`, '/ping');
    expect(all).toEqual([500, 500, 502, 200]);
  });

  test('always: until clear, and after the faults of next', async () => {
    sandbox.faults.always({ kind: 'status', status: 500 });
    sandbox.faults.next({ kind: 'status', status: 502 });
    expect(await statuses('/ping', '/ping', '/ping')).toEqual([502, 500, 500]);
    sandbox.faults.clear();
    expect(await statuses('/ping')).toEqual([200]);
  });
});

describe('hold', () => {
  test('holds matching requests until release', async () => {
    const hold = sandbox.faults.hold({ path: 'market_chart' });
    let responded = 0;
    const held = [get(chartPath), get(chartPath)].map((call) => call.finally(() => (responded += 1)));
    await hold.arrived(2);
    expect((await get('/ping')).status).toBe(200);
    expect(responded).toBe(0);
    hold.release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await get(chartPath)).status).toBe(200);
  });

  test('does not count a request whose client disconnected, and ends when the server closes', async () => {
    const hold = sandbox.faults.hold();
    const caller = new AbortController();
    const left = expect(fetch(`${sandbox.coingeckoUrl}/ping`, { signal: caller.signal })).rejects.toThrow();
    await hold.arrived(1);
    caller.abort();
    await left;
    const stays = expect(get('/ping')).rejects.toThrow();
    await hold.arrived(1);
    await sandbox.close();
    await stays;
  });

  test('is released by clear', async () => {
    const hold = sandbox.faults.hold();
    const held = get('/ping');
    await hold.arrived(1);
    sandbox.faults.clear();
    expect((await held).status).toBe(200);
  });
});
