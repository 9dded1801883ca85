import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { deleteExpired } from '#database/retention';
import { createNoticeStore } from '#notifications/notices/notice-store';
import { byOperator } from '#users/authority';
import { OPERATOR } from '../../support/operator.ts';
import { startReceiver } from '../../support/webhook/receiver.ts';
import { startWebhookHarness, type WebhookHarness } from './webhook-harness.ts';

let hooks: WebhookHarness;
beforeAll(async () => {
  hooks = await startWebhookHarness();
});
afterAll(() => hooks?.close());
beforeEach(async () => {
  hooks.responses.status = 204;
  // Ends the attempts of the test before.
  await hooks.deliver();
  await hooks.service.database.prisma.outboxMessage.deleteMany();
  hooks.receiver.deliveries.splice(0);
});

const secondsUntil = (at: string | null) => (Date.parse(at ?? '') - Date.now()) / 1000;

describe('a test event', () => {
  test('is signed, delivered and listed, and is no notice', async () => {
    const { key, apiKey, secret } = await hooks.user();
    const { status, body, headers } = await hooks.test(apiKey);
    expect([status, headers.get('cache-control')]).toEqual([202, 'no-store']);
    expect(body).toMatchObject({ status: 'pending', attempts: 0, resendOf: null, httpStatus: null, reason: null });
    const [webhook] = await hooks.deliver();
    const payload = { type: 'webhook.test', timestamp: expect.stringMatching(/^\d{4}-.*Z$/), data: { user: key } };
    expect(JSON.parse(webhook?.body ?? '')).toEqual(payload);
    expect(webhook?.headers['webhook-id']).toBe(body.messageId);
    const at = new Date(Number(webhook?.headers['webhook-timestamp']) * 1000);
    expect(webhook?.headers['webhook-signature']).toBe(
      new Webhook(secret).sign(body.messageId, at, webhook?.body ?? ''),
    );
    expect(await hooks.list(apiKey)).toEqual([
      {
        ...body,
        ...{ status: 'delivered', attempts: 1, httpStatus: 204, nextAttemptAt: null, payload },
        ...{ lastAttemptAt: expect.any(String), deliveredAt: expect.any(String) },
      },
    ]);
    expect(await hooks.service.database.prisma.notice.count({ where: { userKey: key } })).toBe(0);
    expect(await hooks.service.database.prisma.outboxMessage.count()).toBe(0);
  });

  test('that fails is sent again with the same ID and body', async () => {
    const { apiKey } = await hooks.user();
    hooks.responses.status = 503;
    const { id } = (await hooks.test(apiKey)).body;
    const [first] = await hooks.deliver();
    const [failed] = await hooks.list(apiKey);
    expect(failed).toMatchObject({ id, status: 'retrying', attempts: 1, httpStatus: 503, reason: 'http_status' });
    expect(secondsUntil(failed?.nextAttemptAt ?? null)).toBeGreaterThan(20);
    expect(secondsUntil(failed?.nextAttemptAt ?? null)).toBeLessThan(90);
    hooks.responses.status = 200;
    const [second] = await hooks.deliverAgain();
    expect([second?.body, second?.headers['webhook-id']]).toEqual([first?.body, first?.headers['webhook-id']]);
    expect(await hooks.list(apiKey)).toMatchObject([
      { id, status: 'delivered', attempts: 2, httpStatus: 200, reason: null, nextAttemptAt: null },
    ]);
  });

  test('has one reason for every failure without a response', async () => {
    const stopped = await startReceiver();
    await stopped.close();
    const urls = [
      stopped.url,
      'https://10.0.0.7/hook',
      'https://host.invalid/hook',
      `https://127.0.0.1:${stopped.port}/`,
    ];
    const users = await Promise.all(urls.map((url) => hooks.user(url)));
    for (const { apiKey } of users) await hooks.test(apiKey);
    await hooks.deliver();
    for (const { apiKey } of users) {
      const [delivery] = await hooks.list(apiKey);
      expect(delivery).toMatchObject({ status: 'retrying', attempts: 1, httpStatus: null, reason: 'no_response' });
      const texts = [await hooks.ask('GET', 'webhook/deliveries', apiKey), await hooks.ask('GET', 'export', apiKey)];
      expect(JSON.stringify(texts.map(({ body }) => body))).not.toMatch(/refused|connection|ENOTFOUND|WEBHOOK_ALLOW/i);
    }
    const reasons = await hooks.service.database.prisma.outboxMessage.findMany({ select: { lastError: true } });
    expect(new Set(reasons.map(({ lastError }) => lastError)).size).toBeGreaterThanOrEqual(3);
  });

  test('ends if the receiver responds with 410, and the webhook is off', async () => {
    const { apiKey } = await hooks.user();
    hooks.responses.status = 410;
    await hooks.test(apiKey);
    await hooks.deliver();
    expect(await hooks.list(apiKey)).toMatchObject([
      { status: 'failed', httpStatus: 410, reason: 'http_status', nextAttemptAt: null },
    ]);
    expect(await hooks.test(apiKey)).toMatchObject({ status: 409, body: { code: 'webhook_not_set' } });
  });

  test('ends if the user turns off webhooks before the next attempt', async () => {
    const { key, apiKey } = await hooks.user();
    hooks.responses.status = 500;
    await hooks.test(apiKey);
    await hooks.deliver();
    await hooks.service.database.prisma.noticeSettings.update({ where: { userKey: key }, data: { webhookUrl: null } });
    expect(await hooks.deliverAgain()).toEqual([]);
    expect(await hooks.list(apiKey)).toMatchObject([
      { status: 'failed', attempts: 1, httpStatus: null, reason: 'webhook_off', nextAttemptAt: null },
    ]);
  });

  test.each([
    ['suspended', (key: number) => hooks.service.parts.administration.suspend(OPERATOR, key, 'Abuse')],
    ['without keys', (key: number) => hooks.service.parts.keys.revokeAll(byOperator(key, OPERATOR))],
  ])('and one that is sent again end if the operator makes the user %s', async (_state, change) => {
    const { key, apiKey } = await hooks.user();
    hooks.responses.status = 500;
    const { id } = (await hooks.test(apiKey)).body;
    await hooks.resend(apiKey, id);
    expect(await hooks.deliver()).toHaveLength(2);
    await change(key);
    expect(await hooks.deliverAgain()).toEqual([]);
    const rows = await hooks.service.database.prisma.webhookDelivery.findMany({ where: { userKey: key } });
    expect(rows.map(({ attempts, reason }) => [attempts, reason])).toEqual([
      [1, 'webhook_off'],
      [1, 'webhook_off'],
    ]);
    expect(await hooks.service.database.prisma.outboxMessage.count({ where: { userKey: key } })).toBe(0);
  });

  test('can be sent ten times per hour by each user', async () => {
    const { key, apiKey } = await hooks.user();
    const responses = await Promise.all(Array.from({ length: 14 }, () => hooks.test(apiKey)));
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(10);
    const refused = responses.find(({ status }) => status !== 202);
    expect([refused?.status, refused?.body.code]).toEqual([429, 'rate_limited']);
    const wait = Number(refused?.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3500);
    expect(wait).toBeLessThanOrEqual(3600);
    expect(refused?.headers.get('ratelimit')).toBe(`"webhook-tests";r=0;t=${wait}`);
    expect(refused?.headers.get('ratelimit-policy')).toBe('"webhook-tests";q=10;w=3600');
    expect((await hooks.test((await hooks.user()).apiKey)).status).toBe(202);
    const { prisma } = hooks.service.database;
    const [oldest] = await prisma.webhookDelivery.findMany({ where: { userKey: key }, orderBy: { createdAt: 'asc' } });
    await prisma.webhookDelivery.update({
      where: { id: oldest?.id ?? '' },
      data: { createdAt: new Date(Date.now() - HOUR) },
    });
    expect((await hooks.test(apiKey)).status).toBe(202);
    expect((await hooks.test(apiKey)).status).toBe(429);
    // Deliveries from the future were added before the clock was set back.
    await prisma.$executeRaw`UPDATE webhook_delivery SET created_at = created_at + interval '400 days'`;
    expect((await hooks.test(apiKey)).status).toBe(202);
  });

  test('is rejected without a webhook URL and without the owner key', async () => {
    const { apiKey } = await hooks.user(null);
    expect(await hooks.test(apiKey)).toMatchObject({ status: 409, body: { code: 'webhook_not_set' } });
    const { body: made } = await hooks.ask('POST', 'keys?label=shop', apiKey);
    for (const [method, path] of [
      ['POST', 'webhook/test'],
      ['GET', 'webhook/deliveries'],
      ['POST', `webhook/deliveries/${randomUUID()}/resend`],
    ] as const)
      expect(await hooks.ask(method, path, made.apiKey)).toMatchObject({
        status: 403,
        body: { code: 'scope_missing' },
      });
    expect(await hooks.list(apiKey)).toEqual([]);
  });
});

describe('a webhook that is sent again', () => {
  test('is a new delivery of the same message, and the earlier one keeps its outcome', async () => {
    const { apiKey } = await hooks.user();
    const { id } = (await hooks.test(apiKey)).body;
    const [first] = await hooks.deliver();
    const [delivered] = await hooks.list(apiKey);
    hooks.responses.status = 500;
    const again = await hooks.resend(apiKey, id);
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ status: 'pending', resendOf: id, messageId: delivered?.messageId });
    expect(again.body.id).not.toBe(id);
    const [second] = await hooks.deliver();
    expect([second?.body, second?.headers['webhook-id']]).toEqual([first?.body, first?.headers['webhook-id']]);
    expect(await hooks.list(apiKey)).toEqual([
      expect.objectContaining({ id: again.body.id, status: 'retrying', httpStatus: 500, payload: delivered?.payload }),
      delivered,
    ]);
    const third = await hooks.resend(apiKey, again.body.id);
    expect(third.body).toMatchObject({ resendOf: again.body.id, messageId: delivered?.messageId });
  });

  test('can be a notice that was given up', async () => {
    const { key, apiKey } = await hooks.user();
    const { prisma } = hooks.service.database;
    await hooks.service.parts.administration.limit(OPERATOR, key, 5);
    for (let i = 0; i < 4; i += 1)
      expect((await hooks.service.get('/v1/prices/latest/token?tokenName=bitcoin', { key: apiKey })).status).toBe(200);
    await hooks.service.parts.allowance.settle();
    const notices = createNoticeStore(prisma);
    for (let round = 0; round < 2; round += 1) await notices.addUsageNotices(hooks.service.clock.now(), 0);
    hooks.responses.status = 500;
    const [first] = await hooks.deliver();
    await prisma.outboxMessage.updateMany({ data: { createdAt: new Date(Date.now() - DAY) } });
    await hooks.deliverAgain();
    const [failed] = await hooks.list(apiKey);
    expect(failed).toMatchObject({ status: 'failed', attempts: 2, nextAttemptAt: null, httpStatus: 500 });
    expect(failed?.payload).toMatchObject({ type: 'usage.threshold_reached', data: { user: key, threshold: 80 } });
    hooks.responses.status = 204;
    expect((await hooks.resend(apiKey, failed?.id ?? '')).status).toBe(202);
    const [again] = await hooks.deliver();
    expect([again?.body, again?.headers['webhook-id']]).toEqual([first?.body, failed?.messageId]);
    const listed = await hooks.list(apiKey);
    expect(listed.map(({ status }) => status)).toEqual(expect.arrayContaining(['delivered', 'failed']));
  });

  test('is rejected for an unknown ID, the delivery of another user and more than 30 per hour', async () => {
    const [one, other] = [await hooks.user(), await hooks.user()];
    const { id } = (await hooks.test(one.apiKey)).body;
    for (const unknown of [id, randomUUID()])
      expect(await hooks.resend(other.apiKey, unknown)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await hooks.resend(one.apiKey, 'x')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const responses = [];
    for (let i = 0; i < 31; i += 1) responses.push((await hooks.resend(one.apiKey, id)).status);
    expect(responses).toEqual([...Array(30).fill(202), 429]);
    expect(await hooks.list(one.apiKey)).toHaveLength(31);
  });
});

describe('deliveries', () => {
  const add = (userKey: number, createdAt: Date, data: object = {}) =>
    hooks.service.database.prisma.webhookDelivery.create({
      data: {
        ...{ id: randomUUID(), userKey, messageId: randomUUID(), kind: 'notice', createdAt },
        payload: JSON.stringify({ type: 'usage.threshold_reached', timestamp: createdAt.toISOString(), data: {} }),
        ...data,
      },
    });
  const stored = (userKey: number) => hooks.service.database.prisma.webhookDelivery.count({ where: { userKey } });

  test('are listed newest first, and deleted when they can no longer be listed', async () => {
    const { key, apiKey } = await hooks.user();
    for (let i = 0; i < 60; i += 1) await add(key, new Date(Date.now() - 3 * HOUR - i * 1000));
    // One that still waits for an attempt is kept, although it is older than all others.
    const waiting = await add(key, new Date(Date.now() - 4 * HOUR));
    await hooks.service.database.prisma.outboxMessage.create({
      data: { id: waiting.id, kind: 'notice-webhook', userKey: key, payload: {}, dueAt: new Date(Date.now() + DAY) },
    });
    const { id } = (await hooks.test(apiKey)).body;
    const listed = await hooks.list(apiKey);
    expect([listed.length, listed[0]?.id]).toEqual([50, id]);
    const times = listed.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
    expect(await stored(key)).toBe(51);
  });

  test('are deleted after 30 days', async () => {
    const { key, apiKey } = await hooks.user();
    await add(key, new Date(Date.now() - 30 * DAY - HOUR));
    const recent = await add(key, new Date(Date.now() - 30 * DAY + HOUR));
    await deleteExpired(hooks.service.database.prisma, Date.now());
    expect((await hooks.list(apiKey)).map(({ id }) => id)).toEqual([recent.id]);
    expect(await stored(key)).toBe(1);
  });

  test('are erased with their user', async () => {
    const { key, apiKey } = await hooks.user();
    await hooks.test(apiKey);
    await hooks.deliver();
    expect(await stored(key)).toBe(1);
    const erased = await fetch(`${hooks.service.url}/v1/user`, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
    expect([erased.status, await stored(key)]).toEqual([204, 0]);
  });

  test('are listed for a user whose plan has expired, who cannot send webhooks', async () => {
    const { key, apiKey } = await hooks.user();
    await add(key, new Date());
    const past = new Date(hooks.service.clock.now() - DAY);
    await hooks.service.database.prisma.user.update({
      where: { key },
      data: { validUntil: past, changedAt: new Date() },
    });
    await hooks.service.parts.allowance.sync();
    expect(await hooks.list(apiKey)).toHaveLength(1);
    expect(await hooks.test(apiKey)).toMatchObject({ status: 401, body: { code: 'api_key_expired' } });
  });
});
