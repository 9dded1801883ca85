import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTo } from '../support/database/client.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { type MailServer, startMailServer, tokensIn } from '../support/mail/mail-server.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process.ts';

/*
 * Processes are killed while their emails are being sent, and one process keeps running. The mail server temporarily
 * rejects every second email.
 */

const USERS = 10;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;
let server: MailServer;
let rejections = 0;
const processes: ServiceProcess[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  client = await connectTo(database.url);
  server = await startMailServer({
    refuse: () => {
      rejections += 1;
      return rejections % 2 === 0 ? { reply: '451 4.3.0 not now' } : undefined;
    },
  });
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await server?.close();
  await client?.end();
  await database?.drop();
});

const start = async () => {
  const one = await startServiceProcess({
    DATABASE_URL: database.url,
    COINGECKO_URL: 'http://127.0.0.1:9/api/v3',
    SMTP_URL: server.url,
    MAIL_FROM: 'quotient@example.org',
    PUBLIC_URL: 'https://quotient.example.org',
    LOG_LEVEL: 'info',
  });
  processes.push(one);
  return one;
};

const post = (url: string, path: string, body?: object) =>
  fetch(`${url}/v1/user/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

test('every email requested before a kill -9 arrives', async () => {
  const emails = Array.from({ length: USERS }, (_, i) => `ada${i}@example.org`);
  const [{ url }, ...victims] = await Promise.all([start(), start(), start()]);
  for (const email of emails) {
    const query = new URLSearchParams({ name: 'Ada', email, plan: 'monthly' });
    expect((await post(victims[0]?.url ?? '', `create?${query}`)).status).toBe(201);
  }
  for (const [i, victim] of victims.entries()) {
    const mine = emails.slice((i * USERS) / 2, ((i + 1) * USERS) / 2);
    const statuses = await Promise.all(
      mine.map(async (email) => (await post(victim.url, 'recover', { email })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([202]));
    await victim.kill();
  }
  const addressed = () => new Set(server.mails.flatMap(({ to }) => to));
  // Claims and pauses expire by the database's clock, so the waiting messages are made due.
  await expect
    .poll(
      async () => {
        await client.query("UPDATE outbox_message SET due_at = now() WHERE due_at > now() + interval '1 s'");
        // A request wakes the process.
        await post(url, 'recover', { email: `unknown${Math.random()}@example.org` });
        const { rows } = await client.query('SELECT count(*)::int AS left FROM outbox_message');
        return [rows[0].left, addressed().size];
      },
      { timeout: 50_000 },
    )
    .toEqual([0, USERS]);
  expect(addressed()).toEqual(new Set(emails));
  // Duplicate emails are usable too. The one-time code of the newest email works once; afterwards, no other code works.
  for (const email of emails) {
    const mails = server.mails.filter(({ to }) => to.includes(email));
    const [newest, ...others] = mails.reverse().flatMap(tokensIn);
    expect((await post(url, 'recover/confirm', { token: newest })).status).toBe(200);
    for (const token of others) expect((await post(url, 'recover/confirm', { token })).status).toBe(400);
  }
}, 120_000);
