import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashMailToken, mintMailToken } from '#notifications/mail/one-time-code';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { type MailServer, startMailServer } from '../../support/mail/mail-server.ts';
import { type Service, startService } from '../../support/service/service.ts';

let database: TestDatabase;
let server: MailServer;
const services: Service[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  server = await startMailServer();
  const settings = {
    SMTP_URL: server.url,
    MAIL_FROM: 'quotient@example.org',
    PUBLIC_URL: 'https://quotient.example.org',
    REGISTRATIONS_PER_MINUTE: '0',
  };
  for (let i = 0; i < 2; i++) services.push(await startService({ database, settings }));
});
afterAll(async () => {
  for (const service of services) await service.close();
  await server?.close();
  await database?.close();
});

const post = (service: Service | undefined, path: string, body: object) =>
  fetch(`${service?.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const both = <T>(call: (service: Service | undefined) => Promise<T>) => Promise.all(services.map(call));
const userOf = (email: string) =>
  services[0]?.parts.users.create({ name: 'Ada', email, plan: 'monthly' }) as Promise<{ key: number }>;

test('a one-time code that arrives at two processes concurrently creates one key', async () => {
  const { key } = await userOf('races@example.org');
  for (let i = 0; i < 15; i++) {
    const token = mintMailToken();
    const expiresAt = new Date(Date.now() + 60_000);
    await database.prisma.oneTimeCode.create({
      data: { hash: Buffer.from(hashMailToken(token), 'hex'), userKey: key, expiresAt },
    });
    const statuses = await both(async (service) => (await post(service, '/v1/user/recover/confirm', { token })).status);
    expect(statuses.toSorted()).toEqual([200, 400]);
  }
  const living = await database.prisma.apiKey.count({
    where: { userKey: key, replacedAt: null, revokedAt: null },
  });
  expect(living).toBe(1);
});

test('an address that is submitted to two processes concurrently receives one email', async () => {
  const emails = Array.from({ length: 12 }, (_, i) => `once${i}@example.org`);
  for (const email of emails) await userOf(email);
  server.mails.length = 0;
  await Promise.all(emails.map((email) => both((service) => post(service, '/v1/user/recover', { email }))));
  await both(async (service) => service?.parts.mail?.outbox.deliverDue());
  expect(server.mails.flatMap(({ to }) => to).toSorted()).toEqual(emails.toSorted());
});
