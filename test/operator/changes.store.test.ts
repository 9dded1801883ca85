import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, iso } from '#core/clock';
import { PRICED } from '../support/service/hammer.ts';
import { type OperatorService, startOperator } from './operator-harness.ts';

let service: OperatorService;
beforeAll(async () => {
  service = await startOperator({ settings: { BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' } });
});
afterAll(() => service?.close());

const events = async (key: number) =>
  (await service.send(`/admin/v1/audit?user=${key}&limit=100`)).body.items.map(
    ({ action, before, after, actor, requestId }: Record<string, unknown>) => ({
      action,
      before,
      after,
      actor,
      requestId,
    }),
  );

async function send(path: string, apiKey: string, method = 'GET') {
  const response = await fetch(`${service.url}${path}`, { method, headers: { 'x-api-key': apiKey } });
  const text = await response.text();
  const body = text === '' ? {} : JSON.parse(text);
  return { status: response.status, code: body.code, detail: body.detail, body };
}

it('a suspended user is rejected with the reason, can still read data and usage, and is resumed', async () => {
  const { key, apiKey } = await service.user();
  expect((await send(PRICED, apiKey)).status).toBe(200);
  const suspended = await service.change(`/users/${key}/suspend`, { reason: 'Unusual traffic' });
  expect([suspended.status, suspended.body.state, suspended.body.suspension.reason]).toEqual([
    200,
    'suspended',
    'Unusual traffic',
  ]);
  for (const [path, method] of [
    [PRICED, 'GET'],
    ['/v1/user/keys', 'GET'],
    ['/v1/user/rotate', 'POST'],
    ['/v1/user/renew', 'POST'],
    ['/v1/user', 'DELETE'],
  ] as const) {
    const { status, code, detail } = await send(path, apiKey, method);
    expect([path, status, code]).toEqual([path, 403, 'account_suspended']);
    expect(detail).toContain('Reason: Unusual traffic.');
  }
  for (const path of ['/v1/user/data', '/v1/user/usage']) {
    const { status, body } = await send(path, apiKey);
    expect([path, status, body.suspended]).toEqual([path, 200, 'Unusual traffic']);
  }
  expect((await send('/v1/user/export', apiKey)).status).toBe(200);
  await service.change(`/users/${key}/suspend`, { reason: 'Unusual traffic' });
  const resumed = await service.change(`/users/${key}/resume`, { reason: 'Fixed' });
  expect([resumed.status, resumed.body.state, resumed.body.suspension]).toEqual([200, 'active', null]);
  expect((await send(PRICED, apiKey)).status).toBe(200);
  expect((await send('/v1/user/data', apiKey)).body).not.toHaveProperty('suspended');
  await service.change(`/users/${key}/resume`, { reason: 'Again' });
  // A change that changes nothing adds no event.
  expect(await events(key)).toMatchObject([
    { action: 'user.resume', before: { suspended: true }, after: { suspended: false, reason: 'Fixed' } },
    {
      action: 'user.suspend',
      actor: 'admin',
      requestId: suspended.headers.get('x-request-id'),
      before: { suspended: false, reason: null },
      after: { suspended: true, reason: 'Unusual traffic' },
    },
  ]);
});

it('credits raise the limit of the current period only', async () => {
  const { key, apiKey } = await service.user();
  await service.change(`/users/${key}/limit`, { limit: 1 });
  expect((await send(PRICED, apiKey)).status).toBe(200);
  expect((await send(PRICED, apiKey)).code).toBe('quota_exceeded');
  const { body } = await service.change(`/users/${key}/credits`, { calls: 2, reason: 'Outage' });
  expect(body).toMatchObject({ limit: 1, credits: 2, periodLimit: 3 });
  await expect.poll(async () => (await send(PRICED, apiKey)).status).toBe(200);
  expect((await send(PRICED, apiKey)).status).toBe(200);
  const rejected = await fetch(`${service.url}${PRICED}`, { headers: { 'x-api-key': apiKey } });
  expect([rejected.status, rejected.headers.get('ratelimit-policy')?.split(';')[1]]).toEqual([429, 'q=3']);
  expect((await send('/v1/user/usage', apiKey)).body).toMatchObject({ limit: 3, used: 3, remaining: 0 });
  const shown = (await service.send(`/admin/v1/users/${key}`)).body;
  expect(shown.grants).toMatchObject([{ calls: 2, reason: 'Outage', periodStart: shown.periodStart }]);
  expect((await events(key))[0]).toMatchObject({
    action: 'user.credits',
    before: { credits: 0 },
    after: { credits: 2, reason: 'Outage' },
  });
});

it('a plan changes now, with a new period and term, or at the end of the current period', async () => {
  const { key } = await service.user();
  const before = (await service.send(`/admin/v1/users/${key}`)).body;
  const next = (await service.change(`/users/${key}/plan`, { plan: 'yearly', from: 'next' })).body;
  expect(next).toMatchObject({
    plan: 'monthly',
    limit: 10_000,
    validUntil: before.validUntil,
    nextPlan: { plan: 'yearly', limit: 180_000, from: before.resetsAt },
  });
  const now = (await service.change(`/users/${key}/plan`, { plan: 'yearly', from: 'now', limit: 77 })).body;
  expect(now).toMatchObject({ plan: 'yearly', limit: 77, nextPlan: null, used: 0 });
  expect(Date.parse(now.validUntil) - Date.parse(now.periodStart)).toBeGreaterThan(364 * DAY);
  expect((await events(key)).map(({ action }: { action: string }) => action)).toEqual(['user.plan', 'user.plan']);
});

it('a plan that has become due starts, and a renewal before that uses it', async () => {
  const { key, apiKey } = await service.user();
  const { body } = await service.change(`/users/${key}/plan`, { plan: 'yearly', from: 'next' });
  const renewed = await send('/v1/user/renew', apiKey, 'POST');
  const years = Date.parse(renewed.body.validUntil) - Date.parse(body.nextPlan.from);
  expect(years).toBeGreaterThan(364 * DAY);
  const past = new Date(Date.now() - DAY);
  await service.database.prisma.user.update({ where: { key }, data: { nextFrom: past } });
  await service.parts.administration.startDuePlans();
  const started = (await service.send(`/admin/v1/users/${key}`)).body;
  expect(started).toMatchObject({ plan: 'yearly', limit: 180_000, nextPlan: null, periodStart: iso(past.getTime()) });
});

it('rotates, renews, revokes a key and erases, each with an event that contains no key and no address', async () => {
  const { key, apiKey } = await service.user('grace@example.net', 'Grace Hopper');
  const made = await send('/v1/user/keys?label=secret-label', apiKey, 'POST');
  const rotated = await service.change(`/users/${key}/rotate`, { graceSeconds: 0 });
  expect(rotated.headers.get('cache-control')).toBe('no-store');
  expect((await send(PRICED, apiKey)).code).toBe('api_key_revoked');
  expect((await send(PRICED, rotated.body.apiKey)).status).toBe(200);
  expect((await service.change(`/users/${key}/renew`)).status).toBe(200);
  expect((await service.change(`/users/${key}/renew`)).body.code).toBe('renew_too_early');
  const revoke = (id: number) => service.send(`/admin/v1/users/${key}/keys/${id}`, { method: 'DELETE' });
  expect((await revoke(made.body.id)).status).toBe(204);
  expect((await revoke(made.body.id)).status).toBe(204);
  expect((await revoke(999_999)).body.code).toBe('not_found');
  const owner = (await service.send(`/admin/v1/users/${key}`)).body.apiKeys.find(
    ({ state }: { state: string }) => state === 'active',
  );
  expect((await revoke(owner.id)).body.code).toBe('last_owner_key');
  expect((await service.send(`/admin/v1/users/${key}`, { method: 'DELETE' })).status).toBe(204);
  expect((await send(PRICED, rotated.body.apiKey)).code).toBe('api_key_revoked');
  const erased = await service.send(`/admin/v1/users/${key}`);
  expect(erased.body).toMatchObject({ state: 'erased', name: null, email: null });
  for (const [path, body] of [
    ['suspend', { reason: 'x' }],
    ['limit', { limit: 1 }],
    ['plan', { plan: 'yearly', from: 'now' }],
    ['credits', { calls: 1, reason: 'x' }],
    ['rotate', {}],
    ['renew', undefined],
  ] as const)
    expect([path, (await service.change(`/users/${key}/${path}`, body)).body.code]).toEqual([path, 'user_erased']);
  expect((await events(key)).map(({ action }: { action: string }) => action)).toEqual([
    'user.erase',
    'key.revoke',
    'user.renew',
    'user.rotate',
  ]);
  const log = (await service.send('/admin/v1/audit', { headers: { accept: 'application/x-ndjson' } })).text;
  for (const text of [rotated.body.apiKey, apiKey, 'grace@', 'Hopper', 'secret-label']) expect(log).not.toContain(text);
});

it('an export contains everything that is stored about the user', async () => {
  const { key } = await service.user('export@example.net');
  const { status, headers, body } = await service.send(`/admin/v1/users/${key}/export`);
  expect([status, headers.get('content-disposition')]).toEqual([200, `attachment; filename="user-${key}.json"`]);
  expect(body.user.email).toBe('export@example.net');
  expect((await service.send('/admin/v1/users/999999/export')).status).toBe(404);
});

it('rejects values that are missing, out of range, or could forge a line of a log', async () => {
  const { key } = await service.user();
  for (const [path, body, location] of [
    ['suspend', {}, 'body.reason'],
    ['suspend', { reason: 'one\nuser.erase admin' }, 'body.reason'],
    ['suspend', { reason: ' '.repeat(3) }, 'body.reason'],
    ['suspend', { reason: '\u202eabc' }, 'body.reason'],
    ['suspend', { reason: 'a\ud800' }, 'body.reason'],
    ['suspend', { reason: 'a'.repeat(501) }, 'body.reason'],
    ['suspend', { reason: 1 }, 'body.reason'],
    ['credits', { calls: 0, reason: 'x' }, 'body.calls'],
    ['credits', { calls: 2_000_000_001, reason: 'x' }, 'body.calls'],
    ['limit', { limit: -1 }, 'body.limit'],
    ['limit', { limit: 1.5 }, 'body.limit'],
    ['plan', { plan: 'weekly', from: 'now' }, 'body.plan'],
    ['plan', { plan: 'monthly' }, 'body.from'],
  ] as const) {
    const { status, body: problem } = await service.change(`/users/${key}/${path}`, body);
    expect([path, status, problem.errors?.[0]?.location]).toEqual([path, 400, location]);
  }
  expect(await events(key)).toEqual([]);
  for (const user of ['0', '-1', 'x', '99999999999']) {
    expect((await service.change(`/users/${user}/renew`)).status).toBeGreaterThanOrEqual(400);
  }
  expect((await service.change('/users/2147483648/renew')).status).toBe(404);
});
