import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DAY, SECOND } from '#core/clock';
import { byOperator } from '#users/authority';
import { addMonths } from '#users/plan';
import { type HandClock, handClock, usageDays } from '../ledger/allowance-harness.ts';
import { OPERATOR } from '../support/operator.ts';
import { PRICED } from '../support/service/hammer.ts';
import { type Service, startService } from '../support/service/service.ts';

const START = Date.UTC(2026, 0, 31, 12);
const FEBRUARY = Date.UTC(2026, 1, 28, 12);
const MARCH = Date.UTC(2026, 2, 31, 12);

type UserRecord = { key: number; apiKey: string; validUntil: string; updatedAt: string; limit: number };
type Problem = { code: string };

let clock: HandClock;
let service: Service;
let apiKey: string;
beforeAll(async () => {
  clock = handClock(START);
  service = await startService({ clock });
});
afterAll(() => service?.close());
beforeEach(async () => {
  await moveTo(Math.max(clock.now(), START));
  clock.set(START - clock.now());
  apiKey = await service.register();
});

/** Advances the clock, and makes the process poll for changes since. */
async function moveTo(instant: number): Promise<void> {
  clock.passUntil(instant);
  await service.parts.allowance.poll();
}

async function send(method: string, path: string, key = apiKey) {
  const response = await fetch(`${service.url}${path}`, { method, headers: { 'x-api-key': key } });
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as UserRecord & Problem & Record<string, unknown>;
  return { status: response.status, body, headers: response.headers };
}

const outcomeOf = async (method: string, path: string, key?: string) => {
  const { status, body } = await send(method, path, key);
  return [status, body.code ?? null];
};

it('usage reports settled and unsettled calls, and is free', async () => {
  for (let n = 0; n < 3; n++) expect((await send('GET', PRICED)).status).toBe(200);
  const expected = {
    limit: 10_000,
    used: 3,
    remaining: 9_997,
    periodStart: new Date(START).toISOString(),
    resetsAt: new Date(FEBRUARY).toISOString(),
    validUntil: new Date(FEBRUARY).toISOString(),
    daily: [{ date: '2026-01-31', calls: 3 }],
  };
  expect((await send('GET', '/v1/user/usage')).body).toEqual(expected);
  await service.parts.allowance.settle();
  expect((await send('GET', '/v1/user/usage')).body).toEqual(expected);
});

it('usage lists the latest 31 days, newest first', async () => {
  apiKey = await service.register('yearly');
  const days: { date: string; calls: number }[] = [];
  for (let n = 0; n < 40; n++) {
    await moveTo(START + n * DAY);
    const calls = 1 + (n % 3);
    for (let call = 0; call < calls; call++) expect((await send('GET', PRICED)).status).toBe(200);
    days.unshift({ date: new Date(clock.now()).toISOString().slice(0, 10), calls });
  }
  expect((await send('GET', '/v1/user/usage')).body.daily).toEqual(days.slice(0, 31));
});

it('a rotation returns a new key for the same user, and the old key can only read until its grace period ends', async () => {
  expect((await send('GET', PRICED)).status).toBe(200);
  const before = (await send('GET', '/v1/user/data')).body;
  const { status, body, headers } = await send('POST', '/v1/user/rotate?graceSeconds=60');
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toEqual({ ...before, apiKey: body.apiKey, updatedAt: body.updatedAt });
  expect(body.apiKey).not.toBe(apiKey);

  expect(await outcomeOf('GET', PRICED)).toEqual([200, null]);
  expect(await outcomeOf('GET', '/v1/user/data')).toEqual([200, null]);
  for (const [method, path] of [
    ['POST', '/v1/user/rotate'],
    ['POST', '/v1/user/renew'],
    ['DELETE', '/v1/user'],
  ] as const) {
    expect(await outcomeOf(method, path), `${method} ${path}`).toEqual([401, 'api_key_revoked']);
  }
  expect((await send('GET', '/v1/user/usage', body.apiKey)).body.used).toBe(2);

  await moveTo(clock.now() + 60 * SECOND - 1);
  expect(await outcomeOf('GET', PRICED)).toEqual([200, null]);
  await moveTo(clock.now() + 1);
  expect(await outcomeOf('GET', PRICED)).toEqual([401, 'api_key_revoked']);
  expect(await outcomeOf('GET', PRICED, body.apiKey)).toEqual([200, null]);
});

it('the grace period is 300 s by default, none for 0, and at most a week', async () => {
  const { apiKey: second } = (await send('POST', '/v1/user/rotate')).body;
  await moveTo(clock.now() + 299 * SECOND);
  expect(await outcomeOf('GET', PRICED)).toEqual([200, null]);
  await moveTo(clock.now() + SECOND);
  expect(await outcomeOf('GET', PRICED)).toEqual([401, 'api_key_revoked']);

  const { apiKey: third } = (await send('POST', '/v1/user/rotate?graceSeconds=0', second)).body;
  expect(await outcomeOf('GET', PRICED, second)).toEqual([401, 'api_key_revoked']);
  expect((await send('POST', '/v1/user/rotate?graceSeconds=604800', third)).status).toBe(200);
});

it.each(['604801', '-1', '1.5', '', 'x'])('graceSeconds=%s is rejected, and the key is unchanged', async (seconds) => {
  expect(await outcomeOf('POST', `/v1/user/rotate?graceSeconds=${seconds}`)).toEqual([400, 'invalid_request']);
  expect(await outcomeOf('POST', '/v1/user/rotate')).toEqual([200, null]);
});

it('a renewal extends the term to the next boundary, once per period, without refilling the allowance', async () => {
  expect((await send('GET', PRICED)).status).toBe(200);
  const { status, body } = await send('POST', '/v1/user/renew');
  expect([status, body.validUntil, body.apiKey]).toEqual([200, new Date(MARCH).toISOString(), apiKey]);
  expect(await outcomeOf('POST', '/v1/user/renew')).toEqual([409, 'renew_too_early']);
  expect((await send('GET', '/v1/user/usage')).body).toMatchObject({ used: 1, validUntil: body.validUntil });

  await moveTo(FEBRUARY);
  expect((await send('GET', '/v1/user/usage')).body).toMatchObject({ used: 0, resetsAt: body.validUntil });
  const later = new Date(addMonths(START, 3)).toISOString();
  expect((await send('POST', '/v1/user/renew')).body.validUntil).toBe(later);
});

it.each([
  ['extends the term', START, MARCH],
  ['starts a period after a lapse', FEBRUARY + DAY, addMonths(FEBRUARY + DAY, 1)],
])('of two concurrent renewals, one %s, and the other is rejected as too early', async (_what, at, validUntil) => {
  await moveTo(at);
  const { users } = service.parts;
  const { key } = (await send('GET', '/v1/user/data')).body;
  const renewals = await Promise.allSettled([
    users.renew(byOperator(key, OPERATOR)),
    users.renew(byOperator(key, OPERATOR)),
  ]);
  const [one, other] = renewals.sort((a, b) => a.status.localeCompare(b.status));
  expect(one).toMatchObject({ status: 'fulfilled', value: { validUntil } });
  expect(other).toMatchObject({ status: 'rejected', reason: { code: 'renew_too_early' } });
});

it('an expired key can only read its record and renew; the new term starts at the renewal', async () => {
  expect((await send('GET', PRICED)).status).toBe(200);
  await moveTo(FEBRUARY - 1);
  expect(await outcomeOf('GET', PRICED)).toEqual([200, null]);
  const renewedAt = FEBRUARY + 10 * DAY;
  await moveTo(FEBRUARY);
  for (const [method, path] of [
    ['GET', PRICED],
    ['GET', '/v1/user/usage'],
    ['POST', '/v1/user/rotate'],
    ['DELETE', '/v1/user'],
  ] as const) {
    expect(await outcomeOf(method, path), `${method} ${path}`).toEqual([401, 'api_key_expired']);
  }
  expect(await outcomeOf('GET', '/v1/user/data')).toEqual([200, null]);

  await moveTo(renewedAt);
  const { body } = await send('POST', '/v1/user/renew');
  expect(body.validUntil).toBe(new Date(addMonths(renewedAt, 1)).toISOString());
  expect((await send('GET', PRICED)).status).toBe(200);
  expect((await send('GET', '/v1/user/usage')).body).toMatchObject({
    used: 1,
    periodStart: new Date(renewedAt).toISOString(),
  });
});

it('an erasure revokes every key immediately and keeps the record number and the counts, but no name or email address', async () => {
  expect((await send('GET', PRICED)).status).toBe(200);
  const { key } = (await send('GET', '/v1/user/data')).body;
  const { apiKey: newer } = (await send('POST', '/v1/user/rotate')).body;
  const erased = await send('DELETE', '/v1/user', newer);
  expect([erased.status, erased.body]).toEqual([204, {}]);
  for (const dead of [apiKey, newer]) {
    expect(await outcomeOf('GET', PRICED, dead)).toEqual([401, 'api_key_revoked']);
    expect(await outcomeOf('GET', '/v1/user/data', dead)).toEqual([401, 'api_key_revoked']);
  }
  const user = await service.database.prisma.user.findUnique({ where: { key } });
  expect(user).toMatchObject({ key, name: null, email: null });
  // A settlement leaves out a user with a statement that is running.
  const settled = async () => {
    await service.parts.allowance.settle();
    return (await usageDays(service.database, key)).map(({ calls }) => calls);
  };
  await expect.poll(settled).toEqual([1]);
});
