import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../../../fixtures/clock.ts';
import { LATEST } from '../../support/service/chaos.ts';
import { type Service, startService } from '../../support/service/service.ts';

const clock = createTestClock('2026-05-15T14:10:06Z');
let service: Service;
beforeAll(async () => {
  service = await startService({
    clock,
    sandbox: { plan: 'demo' },
    settings: { COINGECKO_PLAN: 'demo', BURST_PER_SECOND: '0' },
  });
});
afterAll(() => service?.close());

const used = async (key: string) =>
  ((await (await service.get('/v1/user/usage', { key })).json()) as { used: number }).used;

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
