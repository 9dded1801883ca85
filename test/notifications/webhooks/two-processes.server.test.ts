import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '#database/database';
import { createDeliveryStore } from '#notifications/channels/webhook/delivery-store';
import { connectTo } from '../../support/database/client.ts';
import { createTestDatabase } from '../../support/database/database.ts';
import { type MailServer, startMailServer } from '../../support/mail/mail-server.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service/service-process.ts';
import { type Receiver, startReceiver } from '../../support/webhook/receiver.ts';
import type { Listed } from './webhook-harness.ts';

/* Webhooks that users request on one process are limited, delivered and listed on all. */

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let mailServer: MailServer;
let receiver: Receiver;
const processes: ServiceProcess[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  mailServer = await startMailServer();
  receiver = await startReceiver();
  const env = {
    DATABASE_URL: database.url,
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'quotient@example.org',
    PUBLIC_URL: 'https://quotient.example.org',
    WEBHOOK_ALLOW: '127.0.0.0/8',
    COINGECKO_URL: 'http://127.0.0.1:9',
  };
  processes.push(...(await Promise.all([startServiceProcess(env), startServiceProcess(env)])));
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await receiver?.close();
  await mailServer?.close();
  await database?.drop();
});

async function ask(place: number, method: string, path: string, key: string, body?: object) {
  const response = await fetch(`${processes[place % processes.length]?.url}/v1/user/${path}`, {
    method,
    headers: { 'x-api-key': key },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function createUser() {
  const { body } = await ask(0, 'POST', 'create?name=Ada&email=ada@example.org&plan=monthly', '');
  const settings = { email: false, webhookUrl: receiver.url, thresholds: [] };
  expect((await ask(0, 'PUT', 'notices', body.apiKey, settings)).status).toBe(200);
  return body as { key: number; apiKey: string };
}

test('a webhook that one process accepts is delivered, and the other process lists it and sends it again', async () => {
  const { apiKey } = await createUser();
  const { body: sent } = await ask(0, 'POST', 'webhook/test', apiKey);
  const listed = async (): Promise<Listed[]> => (await ask(1, 'GET', 'webhook/deliveries', apiKey)).body;
  await expect.poll(async () => (await listed()).map(({ status }) => status)).toEqual(['delivered']);
  const again = await ask(1, 'POST', `webhook/deliveries/${sent.id}/resend`, apiKey);
  expect(again).toMatchObject({ status: 202, body: { messageId: sent.messageId, resendOf: sent.id } });
  await expect.poll(async () => (await listed()).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  expect(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).toEqual([sent.messageId, sent.messageId]);
});

test('two processes together accept ten test events', async () => {
  const { apiKey } = await createUser();
  const responses = await Promise.all(Array.from({ length: 24 }, (_, i) => ask(i, 'POST', 'webhook/test', apiKey)));
  const statuses = responses.map(({ status }) => status);
  expect([statuses.filter((one) => one === 202).length, statuses.filter((one) => one === 429).length]).toEqual([
    10, 14,
  ]);
});

test('an attempt that overlaps the erasure of its user stores nothing', async () => {
  const { key } = await createUser();
  const { prisma, close } = await openDatabase({ url: database.url, dataDir: 'unused' });
  const other = await connectTo(database.url);
  try {
    const store = createDeliveryStore(prisma);
    await other.query('BEGIN');
    await other.query('UPDATE "user" SET erased_at = now(), name = NULL, email = NULL WHERE key = $1', [key]);
    const message = { id: randomUUID(), attempts: 1 };
    const started = store.begin(message, { userKey: key, messageId: randomUUID(), body: '{}' });
    // Read by another connection, because a transaction sees the activity of its first read.
    const waiting = async () => {
      const rows = await prisma.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%webhook_delivery%'`;
      return rows[0]?.count;
    };
    await expect.poll(waiting).toBe(1);
    await other.query('COMMIT');
    expect(await started).toBeUndefined();
    expect(await prisma.webhookDelivery.count({ where: { userKey: key } })).toBe(0);
  } finally {
    await other.end();
    await close();
  }
});
