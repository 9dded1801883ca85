import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, iso } from '#core/clock';
import { deleteExpired } from '#database/retention';
import type { UserRecord } from '#users/users-records';
import { addMessages } from '../../support/mail/add-messages.ts';
import { tokensIn } from '../../support/mail/mail-server.ts';
import { type MailingService, startMailingService } from '../../support/mail/mailing-service.ts';
import { startService } from '../../support/service/service.ts';

let service: MailingService;
beforeAll(async () => {
  service = await startMailingService({ settings: { REGISTRATION: 'verified' } });
});
afterAll(() => service?.close());

let number = 0;
let email = '';
beforeEach(() => {
  number += 1;
  email = `bob${number}@example.org`;
});

const create = (plan = 'yearly') =>
  service.post(`/v1/user/create?${new URLSearchParams({ name: 'Bob', email, plan })}`);
const verify = (token: unknown) => service.post('/v1/user/verify', { token });

async function tokenFor(plan?: string): Promise<string> {
  expect((await create(plan)).status).toBe(202);
  return (await service.mailsSent()).flatMap(tokensIn)[0] as string;
}

const users = () => service.database.prisma.user.count();
const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];

test('registers the user when the one-time code is submitted; the term starts then', async () => {
  const response = await create();
  expect(response.status).toBe(202);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({ email, expiresAt: iso(service.clock.now() + DAY) });
  const [mail] = await service.mailsSent();
  expect(mail?.to).toEqual([email]);
  expect(mail?.text).not.toContain('Bob');
  expect(await users()).toBe(0);

  service.clock.advance(HOUR);
  const verified = await verify(tokensIn(mail as never)[0]);
  expect(verified.status).toBe(201);
  const record = (await verified.json()) as UserRecord;
  expect(record).toMatchObject({
    ...{ name: 'Bob', email, plan: 'yearly', limit: 180_000 },
    createdAt: iso(service.clock.now()),
    validUntil: '2027-01-31T13:00:00.000Z',
  });
  expect((await service.get('/v1/user/usage', { key: record.apiKey })).status).toBe(200);
  const { prisma } = service.database;
  expect(await prisma.user.findMany({ include: { apiKeys: true } })).toMatchObject([
    {
      verifiedAt: new Date(service.clock.now()),
      apiKeys: [{ scopes: ['account', 'prices', 'node'], start: record.apiKey.slice(0, 7) }],
    },
  ]);
});

describe('a one-time code', () => {
  test('can be used once', async () => {
    const before = await users();
    const token = await tokenFor();
    expect((await verify(token)).status).toBe(201);
    expect(await codeOf(await verify(token))).toEqual([400, 'token_invalid']);
    expect(await users()).toBe(before + 1);
  });

  test('can be used once by any number of concurrent requests', async () => {
    const token = await tokenFor();
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await verify(token)).status));
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  });

  test('expires after a day', async () => {
    const [early, late] = [await tokenFor(), await tokenFor()];
    service.clock.advance(DAY - 1);
    expect((await verify(late)).status).toBe(201);
    service.clock.advance(1);
    expect(await codeOf(await verify(early))).toEqual([400, 'token_invalid']);
    await deleteExpired(service.database.prisma, service.clock.now());
    expect(await service.database.prisma.pendingRegistration.count()).toBe(0);
  });

  test('is rejected as a one-time code of another kind', async () => {
    const token = await tokenFor();
    expect(await codeOf(await service.post('/v1/user/recover/confirm', { token }))).toEqual([400, 'token_invalid']);
    const { apiKey: _ } = (await (await verify(token)).json()) as UserRecord;
    await service.post('/v1/user/recover', { email });
    const [recovery] = (await service.mailsSent()).flatMap(tokensIn);
    expect(await codeOf(await verify(recovery))).toEqual([400, 'token_invalid']);
    expect((await service.post('/v1/user/recover/confirm', { token: recovery })).status).toBe(200);
  });
});

test('an address receives at most five emails an hour, and further requests are rejected with a waiting time', async () => {
  for (let i = 0; i < 5; i++) expect((await create()).status).toBe(202);
  const refused = await create();
  expect(refused.headers.get('retry-after')).toBe('3600');
  expect(await codeOf(refused)).toEqual([429, 'rate_limited']);
  expect(await service.mailsSent()).toHaveLength(5);
  service.clock.advance(HOUR);
  expect((await create()).status).toBe(202);
  expect(await service.mailsSent()).toHaveLength(1);
});

test('an email that could not be sent in time is dropped', async () => {
  await service.mail.outbox.deliverDue();
  await service.database.prisma.$executeRaw`
    INSERT INTO pending_registration VALUES ('0f8fad5b-d9cb-469f-a165-70867728950e', 'Bob', ${email}, 'monthly', now(), '2026-01-01')`;
  await addMessages(service.database.prisma, [
    {
      id: '0f8fad5b-d9cb-469f-a165-70867728950e',
      kind: 'verify',
      payload: { registration: '0f8fad5b-d9cb-469f-a165-70867728950e' },
    },
  ]);
  expect(await service.mailsSent()).toEqual([]);
  expect(await service.database.prisma.outboxMessage.count()).toBe(0);
});

test('without mail settings, these paths report the missing configuration, and all other paths work', async () => {
  const plain = await startService();
  for (const path of ['recover', 'recover/confirm', 'verify']) {
    const response = await fetch(`${plain.url}/v1/user/${path}`, { method: 'POST', body: '{}' });
    expect(response.headers.get('retry-after')).toBe('3600');
    expect(await codeOf(response)).toEqual([503, 'mail_not_configured']);
  }
  await plain.register();
  await plain.close();
});

test('while registration is closed, an earlier code registers no user', async () => {
  const closed = await startMailingService({ settings: { REGISTRATION: 'closed' } });
  const response = await closed.post('/v1/user/verify', { token: 'a'.repeat(43) });
  expect(await codeOf(response)).toEqual([403, 'registration_closed']);
  expect((await closed.post('/v1/user/recover', { email })).status).toBe(202);
  await closed.close();
});

test('the requests from a client’s address are limited', async () => {
  const limited = await startMailingService({ settings: { REGISTRATIONS_PER_MINUTE: '3' } });
  const statuses: number[] = [];
  for (const path of ['recover', 'verify', 'recover/confirm', 'recover'])
    statuses.push((await limited.post(`/v1/user/${path}`, { email, token: 'a' })).status);
  expect(statuses).toEqual([202, 400, 400, 429]);
  await limited.close();
});
