import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildApp } from '#app';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { LATEST } from '../../support/service/chaos.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { openConnection } from '../../support/service/socket.ts';
import { withoutFastPath } from '../../support/service/without-fast-path.ts';

/* Keys and allowances that end within the second for which a response is cached. */

const START = Date.parse('2026-05-15T23:59:59.500Z');
let clock: TestClock;
let service: Service;
beforeEach(async () => {
  clock = createTestClock(START);
  service = await startService({
    clock,
    sandbox: { plan: 'demo' },
    settings: { COINGECKO_PLAN: 'demo', BURST_PER_SECOND: '5' },
  });
});
afterEach(() => service.close());

/** Makes the fast path remember the request and the key. Uses another key, so that the tested keys are not charged. */
async function warm(...keys: string[]) {
  for (const key of [await service.createUser(), ...keys]) {
    for (let i = 0; i < 3; i++) await service.get(LATEST, { key });
  }
}

test.each([
  ['of a user whose term has lapsed', { validUntil: START + 300 }, 'api_key_expired'],
  ['that was replaced, after its grace period', { expiresAt: new Date(START + 300) }, 'api_key_revoked'],
])('a key %s is rejected exactly at its end', async (_what, fate, code) => {
  const key = await service.createUser(fate);
  await warm(key);
  clock.advance(299);
  expect((await service.get(LATEST, { key })).status).toBe(200);
  clock.advance(1);
  const refused = await service.get(LATEST, { key });
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([401, code]);
});

test('a call after midnight counts for the new date', async () => {
  const key = await service.createUser();
  await warm(key);
  clock.advance(600);
  for (let i = 0; i < 2; i++) expect((await service.get(LATEST, { key })).status).toBe(200);
  const usage = await (await service.get('/v1/user/usage', { key })).json();
  expect(usage).toMatchObject({
    used: 5,
    daily: [
      { date: '2026-05-16', calls: 2 },
      { date: '2026-05-15', calls: 3 },
    ],
  });
});

test('the burst limit is the same with and without the fast path, and the charge equals the number of 2xx responses', async () => {
  const behind = await buildApp(withoutFastPath(service.parts));
  await behind.listen({ host: '127.0.0.1', port: 0 });
  const framework = `http://127.0.0.1:${(behind.server.address() as AddressInfo).port}`;
  try {
    await warm();
    const statuses = [];
    for (const url of [service.url, framework]) {
      const key = await service.createUser();
      const received = [];
      for (const pause of [0, 0, 0, 0, 0, 0, 0, 200, 0, 100, 100, 0]) {
        clock.advance(pause);
        const { status, headers } = await fetch(`${url}${LATEST}`, { headers: { 'x-api-key': key } });
        received.push([status, headers.get('retry-after')]);
      }
      clock.advance(1000);
      const { used } = (await (await service.get('/v1/user/usage', { key })).json()) as { used: number };
      expect(used).toBe(received.filter(([status]) => status === 200).length);
      statuses.push(received);
      await warm();
    }
    expect(statuses[0]).toEqual(statuses[1]);
    expect(statuses[0]?.map(([status]) => status)).toContain(429);
  } finally {
    await behind.close();
  }
});

test('after the clock is set back, a cached response is not reused, and the age is zero', async () => {
  const key = await service.createUser();
  await warm(key);
  clock.set(-3_600_000);
  const response = await service.get(LATEST, { key });
  expect([response.status, response.headers.get('age')]).toEqual([200, '0']);
  clock.set(3_600_000);
  clock.advance(400);
  expect((await service.get(LATEST, { key })).status).toBe(200);
  const usage = (await (await service.get('/v1/user/usage', { key })).json()) as { used: number };
  expect(usage.used).toBe(5);
});

test('a connection that is open at shutdown receives Connection: close', async () => {
  const app = await buildApp({ ...service.parts, drainMs: 5000 });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const connection = openConnection(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
  const key = await service.createUser();
  const respond = () => connection.send([`GET ${LATEST} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`]);
  for (let i = 0; i < 3; i++) expect((await respond()).headers.connection).toBe('keep-alive');
  const closed = app.close();
  const last = await respond();
  expect([last.status, last.headers.connection]).toEqual([200, 'close']);
  await closed;
});
