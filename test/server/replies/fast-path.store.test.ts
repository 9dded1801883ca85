import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../../../fixtures/clock.ts';
import { DAY_CHART, DAYS, LATEST } from '../../support/service/chaos.ts';
import { type Service, startService } from '../../support/service/service.ts';

const clock = createTestClock('2026-05-15T14:10:06Z');
let service: Service;
beforeAll(async () => {
  service = await startService({
    clock,
    sandbox: { plan: 'demo' },
    settings: { COINGECKO_PLAN: 'demo', BURST_PER_SECOND: '0', CORS_ORIGINS: 'https://app.example.org' },
  });
});
afterAll(() => service?.close());

const RANGE = '/v1/prices/history/date/range?tokenName=solana&fromDate=2026-04-01&thruDate=2026-04-30';
const DATE = '/v1/prices/history/date?tokenName=bitcoin&date=01-05-2026';

/** Headers of the connection, or of a single call. */
const OWN = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'x-request-id', 'ratelimit', 'content-length'];

/** The framework's response, because `inject` bypasses the fast path. */
async function within(path: string, headers: Record<string, string>) {
  const { statusCode, headers: sent, rawPayload } = await service.app.inject({ url: path, headers });
  const received = Object.entries(sent).filter(([name]) => !OWN.includes(name));
  return {
    status: statusCode,
    headers: Object.fromEntries(received.map(([name, value]) => [name, String(value)])),
    body: sent['content-encoding'] ? undefined : rawPayload.toString(),
  };
}

async function through(path: string, headers: Record<string, string>) {
  const response = await fetch(`${service.url}${path}`, { headers });
  const body = await response.text();
  const received = [...response.headers].filter(([name]) => !OWN.includes(name));
  const isCoded = response.headers.has('content-encoding');
  return { status: response.status, headers: Object.fromEntries(received), body: isCoded ? undefined : body };
}

const used = async (key: string) =>
  ((await (await service.get('/v1/user/usage', { key })).json()) as { used: number }).used;

test.each([LATEST, DAY_CHART, DAYS, RANGE, DATE])(
  'GET %s returns the same response on the fast path and behind it',
  async (path) => {
    const key = await service.createUser();
    const wishes: Record<string, string>[] = [
      {},
      { accept: '*/*' },
      { accept: 'text/csv' },
      { accept: 'image/png' },
      { 'accept-encoding': 'br' },
      { 'accept-encoding': 'gzip;q=0.5' },
      { 'if-none-match': '*' },
      { origin: 'https://app.example.org' },
      { origin: 'https://elsewhere.example.org' },
      { 'x-api-key': 'qt_wrong' },
      { 'x-long': 'x'.repeat(17_000) },
    ];
    for (const more of wishes) {
      const headers = { 'accept-encoding': 'identity', 'x-api-key': key, ...more };
      await through(path, headers);
      const again = await through(path, headers);
      const behind = await within(path, { accept: '*/*', ...headers });
      const { requestId: _one, ...problem } = again.status >= 400 ? JSON.parse(again.body ?? '{}') : {};
      if (again.status >= 400) expect(JSON.parse(behind.body ?? '{}')).toMatchObject(problem);
      else expect(again.body).toBe(behind.body);
      expect({ ...again, body: '' }, JSON.stringify(more)).toEqual({ ...behind, body: '' });
    }
  },
);

test('each call is charged once on either path, including the last call of the allowance', async () => {
  const key = await service.createUser({ limit: 25 });
  const statuses: number[] = [];
  for (let i = 0; i < 30; i++) statuses.push((await service.get(LATEST, { key })).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(25);
  expect(statuses.slice(25)).toEqual([429, 429, 429, 429, 429]);
  expect(await used(key)).toBe(25);
});

test('a key that was erased is rejected immediately', async () => {
  const key = await service.register();
  await service.get(LATEST, { key });
  expect((await service.get(LATEST, { key })).status).toBe(200);
  await fetch(`${service.url}/v1/user`, { method: 'DELETE', headers: { 'x-api-key': key } });
  expect((await service.get(LATEST, { key })).status).toBe(401);
});

test('newer data is served immediately, and never older data than before', async () => {
  const key = await service.createUser();
  const first = await service.get(LATEST, { key });
  await service.get(LATEST, { key });
  clock.advance(7 * 60_000);
  await service.parts.allowance.poll();
  await service.get(LATEST, { key });
  await service.parts.market.idle();
  const then = await service.get(LATEST, { key });
  expect(Date.parse(then.headers.get('last-modified') ?? '')).toBeGreaterThan(
    Date.parse(first.headers.get('last-modified') ?? ''),
  );
  expect(then.headers.get('age')).toBe('0');
});
