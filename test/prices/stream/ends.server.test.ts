import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '#core/clock';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { openEvents } from '../../support/service/event-stream.ts';
import { type Service, startService } from '../../support/service/service.ts';

let clock: TestClock;
let [service, elsewhere]: Service[] = [];
beforeAll(async () => {
  clock = createTestClock('2026-05-15T14:10:06Z');
  const settings = { BURST_PER_SECOND: '0' };
  service = await startService({ clock, settings });
  elsewhere = await startService({ clock, settings, database: service.database });
});
afterAll(async () => {
  await elsewhere?.close();
  await service?.close();
});

const open = async (key: string, query = 'bitcoin') => {
  const stream = await openEvents(`${service?.url}/v1/prices/stream?tokenNames=${query}`, { key });
  await stream.received(1);
  return stream;
};

/** Advances the clock in steps that are shorter than the time for which keys are accepted without the database. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10 * SECOND) {
    clock.advance(Math.min(left, 10 * SECOND));
    for (const one of [service, elsewhere]) await one?.parts.allowance.poll();
  }
}

const away = (path: string, method: string, key: string) =>
  fetch(`${elsewhere?.url}${path}`, { method, headers: { 'x-api-key': key } });

describe('a stream ends with the problem of its key', () => {
  it('after another process has revoked the key, or erased its user', async () => {
    const key = await (service as Service).createUser();
    const created = await away('/v1/user/keys?label=page', 'POST', key);
    const { id, apiKey } = (await created.json()) as { id: number; apiKey: string };
    const [page, owner] = [await open(apiKey), await open(key)];
    await away(`/v1/user/keys/${id}`, 'DELETE', key);
    await page.ended();
    expect(page.code()).toBe('api_key_revoked');
    expect(owner.isEnded()).toBe(false);
    await away('/v1/user', 'DELETE', key);
    await owner.ended();
    expect(owner.problem()).toMatchObject({
      code: 'api_key_revoked',
      status: 401,
      title: 'API key revoked',
      requestId: owner.headers['x-request-id'],
    });
  });

  it('when the key has lost the scope', async () => {
    const key = await (service as Service).createUser();
    const stream = await open(key);
    const { prisma } = (service as Service).database;
    await prisma.$executeRaw`UPDATE api_key SET scopes = '{node}' WHERE hash = sha256(${key}::bytea)`;
    await prisma.$executeRaw`UPDATE "user" SET changed_at = clock_timestamp()
      WHERE key = (SELECT user_key FROM api_key WHERE hash = sha256(${key}::bytea))`;
    await stream.ended();
    expect(stream.problem()).toMatchObject({ code: 'scope_missing', scope: 'prices' });
  });

  it("when its page's origin is no longer allowed", async () => {
    const key = await (service as Service).createUser();
    const created = await away('/v1/user/keys?label=page', 'POST', key);
    const { id, apiKey } = (await created.json()) as { id: number; apiKey: string };
    const stream = await open(apiKey);
    await fetch(`${elsewhere?.url}/v1/user/keys/${id}`, {
      method: 'PATCH',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ allowedOrigins: ['https://shop.example'] }),
    });
    await stream.ended();
    expect(stream.problem()).toMatchObject({ code: 'origin_not_allowed', status: 403 });
  });

  it('when the term of the user ends', async () => {
    const key = await (service as Service).createUser({ validUntil: clock.now() + 25 * SECOND });
    const stream = await open(key);
    await pass(30 * SECOND);
    await stream.ended();
    expect(stream.code()).toBe('api_key_expired');
  });

  it('when a minute cannot be charged, with the time to wait', async () => {
    const key = await (service as Service).createUser({ limit: 2 });
    const stream = await open(key);
    await pass(MINUTE);
    await expect.poll(async () => (await usage(key)).used).toBe(2);
    expect(stream.isEnded()).toBe(false);
    await pass(MINUTE);
    await stream.ended();
    expect(stream.problem()).toMatchObject({ code: 'quota_exceeded', status: 429 });
    expect(stream.problem().retryAfter).toBeGreaterThan(0);
    expect(await usage(key)).toMatchObject({ used: 2, remaining: 0 });
  });
});

async function usage(key: string) {
  const response = await (service as Service).get('/v1/user/usage', { key });
  return (await response.json()) as { used: number; remaining: number };
}

it('a comment arrives every fifteen seconds', async () => {
  const stream = await open(await (service as Service).createUser());
  for (let comments = 1; comments <= 4; comments++) {
    await pass(15 * SECOND);
    await stream.until(() => stream.comments() === comments);
  }
  stream.close();
});

it('when the service stops, streams end, and no others are opened', async () => {
  const stopping = await startService({ settings: { BURST_PER_SECOND: '0' } });
  const url = `${stopping.url}/v1/prices/stream?tokenNames=bitcoin`;
  const key = await stopping.createUser();
  const streams = await Promise.all(Array.from({ length: 10 }, () => openEvents(url, { key })));
  await Promise.all(streams.map((one) => one.received(1)));
  await stopping.close();
  await Promise.all(streams.map((one) => one.ended()));
  expect(streams.map((one) => one.code())).toEqual(streams.map(() => undefined));
});
