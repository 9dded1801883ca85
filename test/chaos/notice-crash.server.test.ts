import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNoticeSettingsStore } from '#notifications/notices/notice-settings-store';
import { byOperator } from '#users/authority';
import { type Replicas, startReplicas } from '../ledger/processes/replicas.ts';
import { amount, longTimeout } from '../support/long.ts';
import { type MailServer, startMailServer } from '../support/mail/mail-server.ts';
import { OPERATOR } from '../support/operator.ts';
import type { ServiceProcess } from '../support/service/service-process.ts';
import { type Receiver, startReceiver } from '../support/webhook/receiver.ts';

/*
 * Three processes are killed and restarted while users reach their thresholds. The mail server and the webhook receiver
 * temporarily reject every second message.
 */

const USERS = amount(10, 1_000);
const KILLS = amount(2, 60);
const LIMIT = 5;

let replicas: Replicas;
let server: MailServer;
let receiver: Receiver;
let requests = 0;
beforeAll(async () => {
  server = await startMailServer({
    refuse: () => {
      requests += 1;
      return requests % 2 === 0 ? { reply: '451 4.3.0 not now' } : undefined;
    },
  });
  receiver = await startReceiver(() => (receiver.deliveries.length % 2 === 0 ? 503 : 204));
  const mail = { SMTP_URL: server.url, MAIL_FROM: 'quotient@example.org', PUBLIC_URL: 'https://example.org' };
  replicas = await startReplicas(3, {
    env: { ...mail, WEBHOOK_ALLOW: '127.0.0.1', UPSTREAM_TIMEOUT_MS: '2000' },
  });
});
afterAll(async () => {
  await replicas?.close();
  await server?.close();
  await receiver?.close();
});

type TestUser = { key: number; apiKey: string };

async function createUser(): Promise<TestUser[]> {
  const settings = createNoticeSettingsStore(replicas.prisma);
  const users: TestUser[] = [];
  for (let i = 0; i < USERS; i += 1) {
    const form = { name: 'Ada', email: `ada${i}@example.org`, plan: 'monthly' } as const;
    const user = await replicas.users.create(form, LIMIT);
    const wanted = { email: true, webhookUrl: receiver.url, thresholds: [80, 100] };
    const offered = { secret: 'whsec_c2VjcmV0', isRotated: false, graceEnds: 0 };
    await settings.put(byOperator(user.key, OPERATOR), wanted, offered);
    users.push(user);
  }
  return users;
}

/** Makes one call for each user, on random processes. */
async function callOnce(users: readonly TestUser[], processes: readonly ServiceProcess[]): Promise<void> {
  const path = '/v1/prices/latest/token?tokenName=bitcoin';
  const inTen = Array.from({ length: 10 }, (_, i) => users.filter((_, place) => place % 10 === i));
  await Promise.all(
    inTen.map(async (some) => {
      for (const { apiKey } of some) {
        const { url } = processes[Math.floor(Math.random() * processes.length)] as ServiceProcess;
        const signal = AbortSignal.timeout(5_000);
        await fetch(`${url}${path}`, { headers: { 'x-api-key': apiKey }, signal }).catch(() => undefined);
      }
    }),
  );
}

/** The IDs of the sent notices, by `user:threshold`. */
function idsOf(received: readonly { event: string; id: string }[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { event, id } of received) ids.set(event, (ids.get(event) ?? new Set()).add(id));
  return ids;
}

const posted = () =>
  receiver.deliveries
    .filter((_, place) => place % 2 === 0)
    .map(({ headers, body }) => {
      const { data } = JSON.parse(body) as { data: { user: number; threshold: number } };
      return { event: `${data.user}:${data.threshold}`, id: headers['webhook-id'] ?? '' };
    });

test(
  'every notice arrives, with one ID each, whichever process is killed',
  async () => {
    const users = await createUser();
    const processes = [...replicas.processes];
    let isKilling = true;
    const calling = (async () => {
      while (isKilling) {
        await callOnce(users, processes);
        await wait(20);
      }
    })();
    // Each second, one running process is killed and another one replaces it.
    const starting = new Map<number, Promise<void>>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      await wait(1_000);
      const place = processes.findIndex((_, i) => !starting.has((kill + i) % 3));
      if (place < 0) await Promise.race(starting.values());
      else {
        const victim = (kill + place) % 3;
        await processes[victim]?.kill();
        const started = replicas.start().then((one) => {
          processes[victim] = one;
          replicas.processes[victim] = one;
          starting.delete(victim);
        });
        starting.set(victim, started);
      }
    }
    isKilling = false;
    await Promise.all([calling, ...starting.values()]);

    const events = users.flatMap(({ key }) => [`${key}:80`, `${key}:100`]).sort();
    // Pauses, claims and the rows of killed processes expire by the database's clock, so the waiting rows are made
    // due.
    const hurry = () =>
      replicas.prisma.$transaction([
        replicas.prisma.$executeRaw`UPDATE outbox_message SET due_at = now() WHERE due_at > now() + interval '1 s'`,
        replicas.prisma
          .$executeRaw`UPDATE notice SET seen_at = seen_at - interval '1 minute' WHERE reported_at IS NULL`,
        replicas.prisma.$executeRaw`UPDATE process SET expires_at = now() - interval '1 minute'
        WHERE expires_at < now() + interval '5 s'`,
      ]);
    await expect
      .poll(
        async () => {
          await hurry();
          await callOnce(users, processes);
          const left = await replicas.prisma.outboxMessage.count();
          const byWebhook = [...idsOf(posted()).keys()].length;
          const byMail = new Set(server.mails.map(({ text }) => /Notice (\S+)/.exec(text)?.[1])).size;
          return { left, byWebhook, byMail };
        },
        { timeout: longTimeout - 30_000, interval: 500 },
      )
      .toEqual({ left: 0, byWebhook: events.length, byMail: events.length });

    const ids = idsOf(posted());
    expect([...ids.keys()].sort()).toEqual(events);
    expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
    const notices = await replicas.prisma.notice.findMany({ where: { kind: 'usage' } });
    expect(notices.map(({ userKey, threshold }) => `${userKey}:${threshold}`).sort()).toEqual(events);
    const known = new Set(notices.map(({ id }) => id));
    const mailed = new Set(server.mails.map(({ text }) => /Notice (\S+)/.exec(text)?.[1] ?? ''));
    expect([...mailed].filter((id) => !known.has(id))).toEqual([]);
  },
  longTimeout,
);
