import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY } from '#core/clock';
import { isReported } from '#ledger/lease';
import { MAX_MAILS_A_DAY } from '#notifications/channels/mail/mail-channel';
import { createNoticeStore } from '#notifications/notices/notice-store';
import { byOperator } from '#users/authority';
import { type MailingService, startMailingService } from '../../support/mail/mailing-service.ts';
import { OPERATOR } from '../../support/operator.ts';
import { type Delivery, type Receiver, startReceiver } from '../../support/webhook/receiver.ts';

let service: MailingService;
let receiver: Receiver;
let status = 204;
beforeAll(async () => {
  service = await startMailingService({ settings: { WEBHOOK_ALLOW: '127.0.0.0/8' } });
  receiver = await startReceiver(() => status);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});
beforeEach(async () => {
  status = 204;
  await service.database.prisma.outboxMessage.deleteMany();
  receiver.deliveries.splice(0);
});

async function set(key: string, body: object): Promise<string> {
  const response = await fetch(`${service.url}/v1/user/notices`, {
    method: 'PUT',
    headers: { 'x-api-key': key },
    body: JSON.stringify({ email: false, webhookUrl: null, thresholds: [80, 100], ...body }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  return ((await response.json()) as { webhookSecret?: string }).webhookSecret ?? '';
}

/** Creates a user with a limit who has enabled notices. */
async function createUser(settings: object, limit = 5, email = 'ada@example.org') {
  const { key, apiKey } = await service.user(email);
  await service.parts.administration.limit(OPERATOR, key, limit);
  return { key, apiKey, secret: await set(apiKey, settings) };
}

/** Makes calls, delivers the resulting notices, and returns the webhooks and emails. */
async function spend(apiKey: string, calls: number) {
  for (let i = 0; i < calls; i += 1) {
    const path = '/v1/prices/latest/token?tokenName=bitcoin';
    expect((await service.get(path, { key: apiKey })).status).toBe(200);
  }
  const { allowance } = service.parts;
  const { user } = await allowance.holderOf(apiKey);
  // The timer may be reporting the user's calls. `settle` then skips the user.
  const isReportedNow = async () => {
    await allowance.settle();
    return allowance.leasesOf(user.key).every(isReported);
  };
  await expect.poll(isReportedNow).toBe(true);
  return report();
}

async function report() {
  const store = createNoticeStore(service.database.prisma);
  for (let round = 0; round < 2; round += 1) await store.addUsageNotices(service.clock.now(), 0);
  await store.addValidityNotices(service.clock.now());
  const mails = await service.mailsSent();
  return { mails, webhooks: receiver.deliveries.splice(0) };
}

/** Verifies a delivery as a receiver does. The library uses only the system's clock. */
function verified(secret: string, { body, headers }: Delivery) {
  const webhook = new Webhook(secret);
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signatures = headers['webhook-signature']?.split(' ') ?? [];
  expect(signatures).toContain(webhook.sign(headers['webhook-id'] ?? '', at, body));
  return JSON.parse(body);
}

describe('a notice', () => {
  test('is sent by signed webhook and by email, with one ID', async () => {
    const { key, apiKey, secret } = await createUser({ email: true, webhookUrl: receiver.url });
    const { webhooks, mails } = await spend(apiKey, 4);
    expect([webhooks.length, mails.length]).toEqual([1, 1]);
    expect(verified(secret, webhooks[0] as Delivery)).toEqual({
      type: 'usage.threshold_reached',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        ...{ user: key, threshold: 80, used: 4, limit: 5, remaining: 1 },
        periodStart: '2026-01-31T12:00:00.000Z',
        resetsAt: '2026-02-28T12:00:00.000Z',
      },
    });
    const id = webhooks[0]?.headers['webhook-id'];
    expect(mails[0]).toMatchObject({
      to: ['ada@example.org'],
      headers: { subject: expect.stringContaining('80') },
    });
    expect(mails[0]?.text).toContain(`Notice ${id}`);
    expect(mails[0]?.text).toContain(`User ${key} at https://quotient.example.org has used 4 of 5 calls`);
    expect(await service.database.prisma.notice.findUnique({ where: { id: id ?? '' } })).toMatchObject({
      mailedAt: expect.any(Date),
      postedAt: expect.any(Date),
    });
  });

  test('that failed is sent again with the same ID, to the current address', async () => {
    const { apiKey } = await createUser({ webhookUrl: `${receiver.url}/old` });
    status = 500;
    const { webhooks } = await spend(apiKey, 4);
    expect(webhooks).toHaveLength(1);
    const failed = await service.database.prisma.outboxMessage.findFirst();
    expect(failed?.lastError).toBe('status 500');
    expect(Number(failed?.dueAt) - Date.now()).toBeLessThan(90_000);
    status = 204;
    const secret = await set(apiKey, { webhookUrl: `${receiver.url}/new` });
    await service.database.prisma.outboxMessage.updateMany({ data: { dueAt: new Date() } });
    const again = await report();
    expect(again.webhooks.map(({ headers }) => headers['webhook-id'])).toEqual([webhooks[0]?.headers['webhook-id']]);
    verified(secret, again.webhooks[0] as Delivery);
    expect(await service.database.prisma.outboxMessage.count()).toBe(0);
  });

  test('is signed with two secrets for a day after a rotation', async () => {
    const { apiKey, secret: old } = await createUser({ webhookUrl: receiver.url });
    const fresh = await set(apiKey, { webhookUrl: receiver.url, rotateSecret: true });
    const [first] = (await spend(apiKey, 4)).webhooks;
    for (const secret of [old, fresh]) verified(secret, first as Delivery);
    service.clock.advance(DAY);
    await service.parts.allowance.sync();
    const [second] = (await spend(apiKey, 1)).webhooks;
    verified(fresh, second as Delivery);
    expect(second?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
  });

  test('to an address that is not public waits, and the reason names the setting that allows the address', async () => {
    const { key, apiKey } = await createUser({ webhookUrl: receiver.url });
    await service.database.prisma.noticeSettings.update({
      where: { userKey: key },
      data: { webhookUrl: 'https://10.0.0.7/hook' },
    });
    await spend(apiKey, 4);
    const [listed] = await createNoticeStore(service.database.prisma).undelivered();
    expect(listed).toMatchObject({ userKey: key, lastError: expect.stringContaining('WEBHOOK_ALLOW') });
  });

  test('that failed appears in the export of the user, without the reason', async () => {
    const stopped = await startReceiver();
    await stopped.close();
    const { apiKey } = await createUser({ webhookUrl: stopped.url });
    await spend(apiKey, 4);
    const { lastError } = await service.database.prisma.outboxMessage.findFirstOrThrow();
    expect(lastError).toBe('no connection: ECONNREFUSED');
    const exported = await (await service.get('/v1/user/export', { key: apiKey })).text();
    expect(JSON.parse(exported).messages).toEqual([
      {
        ...{ id: expect.any(String), kind: 'notice-webhook', payload: { notice: expect.any(String) }, attempts: 1 },
        ...{ createdAt: expect.any(String), dueAt: expect.any(String), givenUpAt: null },
      },
    ]);
    expect(exported).not.toMatch(/refused|connection/i);
  });

  test('is not sent after the user was erased', async () => {
    const { apiKey, key } = await createUser({ email: true, webhookUrl: receiver.url });
    status = 500;
    await spend(apiKey, 4);
    status = 204;
    const [message] = await service.database.prisma.outboxMessage.findMany();
    await service.database.prisma.outboxMessage.create({
      data: { id: randomUUID(), kind: 'notice-mail', payload: message?.payload ?? {} },
    });
    await service.parts.users.erase(byOperator(key, OPERATOR));
    await service.database.prisma.outboxMessage.updateMany({ data: { dueAt: new Date() } });
    expect(await report()).toEqual({ webhooks: [], mails: [] });
    expect(await service.database.prisma.outboxMessage.count()).toBe(0);
  });

  test('about the end of validity is sent a week before', async () => {
    const { key } = await createUser({ email: true, webhookUrl: receiver.url });
    const { validUntil } = await service.database.prisma.user.findUniqueOrThrow({ where: { key } });
    service.clock.advance(validUntil.getTime() - 7 * DAY - service.clock.now());
    const { webhooks, mails } = await report();
    const mine = webhooks.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.user === key);
    expect(mine).toMatchObject([
      { type: 'validity.ending', data: { user: key, days: 7, validUntil: validUntil.toISOString() } },
    ]);
    expect(mails.map(({ headers }) => headers.subject)).toContain('The API key expires within 7 days');
  });

  test('by email waits if an unverified address has received many in a day', async () => {
    const mailed = [];
    for (let i = 0; i < MAX_MAILS_A_DAY / 2 + 1; i += 1) {
      const { apiKey } = await createUser({ email: true }, 1, i % 2 === 0 ? 'Eve@example.org' : 'eve@example.org');
      mailed.push(...(await spend(apiKey, 1)).mails);
    }
    expect(mailed).toHaveLength(MAX_MAILS_A_DAY);
    expect(await service.database.prisma.outboxMessage.count({ where: { dueAt: { not: null } } })).toBe(2);
    await service.database.prisma.user.updateMany({ data: { verifiedAt: new Date() } });
    await service.database.prisma.outboxMessage.updateMany({ data: { dueAt: new Date() } });
    expect((await report()).mails).toHaveLength(2);
  });
});
