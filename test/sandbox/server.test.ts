import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createCallLog } from '#sandbox/upstream';

const now = Date.parse('2026-05-15T14:42:25.300Z');
const clock = { now: () => now, elapsed: () => 0 };
const open: Sandbox[] = [];
async function start(options: Parameters<typeof startSandbox>[0] = {}) {
  const sandbox = await startSandbox(options);
  open.push(sandbox);
  return sandbox;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
});

test('the same seed and clock give the same response, and another seed gives another', async () => {
  const paths = ['/coins/markets?vs_currency=usd', '/coins/solana/market_chart?vs_currency=usd&days=1'];
  const texts = async (seed: number) => {
    const { coingeckoUrl } = await start({ seed, clock });
    return Promise.all(paths.map(async (path) => (await fetch(coingeckoUrl + path)).text()));
  };
  const first = await texts(5);
  expect(await texts(5)).toEqual(first);
  expect(await texts(6)).not.toEqual(first);
});

test('a response has the headers of a real one and is sent in chunks', async () => {
  const { coingeckoUrl } = await start({ clock });
  const { headers } = await fetch(`${coingeckoUrl}/ping`);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'public, max-age=30',
    'transfer-encoding': 'chunked',
    etag: expect.stringMatching(/^W\/"[0-9a-f]{32}"$/),
  });
});

test('calls are recorded with their time, and counted by endpoint', async () => {
  const sandbox = await start({ clock });
  expect(sandbox.coingeckoUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v3$/);
  for (const coin of ['bitcoin', 'solana']) {
    await fetch(`${sandbox.coingeckoUrl}/coins/${coin}/market_chart?vs_currency=usd&days=1`);
  }
  await fetch(`${sandbox.coingeckoUrl}/coins/bitcoin/market_chart/range?vs_currency=usd&from=1&to=2`);
  expect(sandbox.calls[0]).toEqual({
    method: 'GET',
    path: '/api/v3/coins/bitcoin/market_chart',
    query: { vs_currency: 'usd', days: '1' },
    at: now,
  });
  expect([sandbox.countCalls(), sandbox.countCalls('/market_chart')]).toEqual([3, 2]);
  expect(sandbox.countCalls('/coins/{id}/market_chart/range')).toBe(1);
  sandbox.clearCalls();
  expect([sandbox.calls.length, sandbox.countCalls()]).toEqual([0, 0]);
});

test('the latest 10,000 calls are kept, and all are counted', () => {
  const log = createCallLog();
  for (let at = 0; at < 10_005; at++) log.record({ method: 'GET', path: '/ping', query: {}, at }, '/ping');
  expect([log.calls.length, log.calls[0]?.at, log.calls.at(-1)?.at]).toEqual([10_000, 5, 10_004]);
  expect(log.count('/ping')).toBe(10_005);
});

test('the plan is configurable', async () => {
  const sandbox = await start({ clock, plan: 'pro' });
  const path = `${sandbox.coingeckoUrl}/coins/bitcoin/market_chart?vs_currency=usd&days=max`;
  expect((await fetch(path)).status).toBe(200);
});

test('a path without an upstream', async () => {
  const { coingeckoUrl } = await start();
  expect((await fetch(new URL('/api/v4/ping', coingeckoUrl))).status).toBe(404);
});

test('a request target that is not a path does not stop the server', async () => {
  const { coingeckoUrl } = await start();
  const { hostname, port } = new URL(coingeckoUrl);
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sent = request({ hostname, port, path: '//', agent: false }, (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  sent.on('error', reject).end();
  expect(await promise).toBe(404);
  expect((await fetch(`${coingeckoUrl}/ping`)).status).toBe(200);
});

test('close may be called twice and closes the port', async () => {
  const sandbox = await start();
  await Promise.all([sandbox.close(), sandbox.close()]);
  await expect(fetch(`${sandbox.coingeckoUrl}/ping`)).rejects.toThrow();
});
