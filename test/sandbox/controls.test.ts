import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/server';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.close());

const order = (body: unknown) =>
  fetch(sandbox.faultsUrl, { method: 'PUT', body: typeof body === 'string' ? body : JSON.stringify(body) });
const ping = async () => (await fetch(`${sandbox.coingeckoUrl}/ping`)).status;

test('a fault is set for so many requests, or until it is ended', async () => {
  expect((await order({ fault: { kind: 'status', status: 503 }, times: 1 })).status).toBe(204);
  expect([await ping(), await ping()]).toEqual([503, 200]);
  await order({ fault: { kind: 'status', status: 500 }, path: '/ping' });
  await order({ fault: { kind: 'status', status: 502 } });
  expect([await ping(), await ping()]).toEqual([502, 502]);
  expect((await fetch(sandbox.faultsUrl, { method: 'DELETE' })).status).toBe(204);
  expect(await ping()).toBe(200);
});

test.each([
  ['no JSON', '{', ''],
  ['an unknown fault', { fault: { kind: 'flood' } }, 'fault.kind'],
  ['no milliseconds', { fault: { kind: 'delay' } }, 'fault.ms'],
  ['an unknown member', { fault: { kind: 'html' }, often: true }, ''],
  ['never', { fault: { kind: 'html' }, times: 0 }, 'times'],
  ['no bytes', { fault: { kind: 'huge', bytes: -1 } }, 'fault.bytes'],
])('a bad order is named and changes nothing: %s', async (_name, body, path) => {
  const answer = await order(body);
  const { error, issues } = (await answer.json()) as { error: string; issues: { path: string }[] };
  expect(answer.status).toBe(400);
  expect(error).toMatch(/JSON|fault/);
  if (path) expect(issues.map((issue) => issue.path)).toContain(path);
  expect(await ping()).toBe(200);
});

test('calls are told, and forgotten', async () => {
  await ping();
  await fetch(`${sandbox.coingeckoUrl}/coins/solana/history?date=01-01-2026`);
  const told = await (await fetch(sandbox.callsUrl)).json();
  expect(told).toMatchObject({
    total: 2,
    byEndpoint: { '/api/v3/ping': 1, '/api/v3/coins/{id}/history': 1 },
    calls: [
      { method: 'GET', path: '/api/v3/ping', query: {} },
      { path: '/api/v3/coins/solana/history', query: { date: '01-01-2026' } },
    ],
  });
  expect((await fetch(sandbox.callsUrl, { method: 'DELETE' })).status).toBe(204);
  expect(sandbox.calls).toEqual([]);
});

test('other paths and methods', async () => {
  const { status, headers } = await fetch(sandbox.callsUrl, { method: 'POST' });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, DELETE']);
  expect((await fetch(`${sandbox.callsUrl}/more`)).status).toBe(404);
});
