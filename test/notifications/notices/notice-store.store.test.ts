import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY } from '#core/clock';
import { OWNER_SCOPES } from '#keys/api-key';
import { createKeyStore } from '#keys/key-store';
import { createNoticeSettingsStore, type NoticeSettings } from '#notifications/notices/notice-settings-store';
import { createNoticeStore, type NoticeStore } from '#notifications/notices/notice-store';
import { byOperator } from '#users/authority';
import { firstTerm } from '#users/plan';
import { createUserStore } from '#users/user-store';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { OPERATOR } from '../../support/operator.ts';

let database: TestDatabase;
let store: NoticeStore;
beforeAll(async () => {
  database = await openTestDatabase();
  store = createNoticeStore(database.prisma);
});
afterAll(() => database?.close());
beforeEach(
  () =>
    database.prisma
      .$executeRaw`TRUNCATE notice, notice_settings, outbox_message, usage, lease, api_key, "user" CASCADE`,
);

const NOW = Date.parse('2026-03-10T12:00:00Z');
const CREATED = Date.parse('2026-03-01T00:00:00Z');

type Wanted = Partial<NoticeSettings> & { limit?: number; plan?: 'monthly' | 'yearly'; createdAt?: number };

/** A user with the default setting for emails. */
async function createUser({ limit = 100, plan = 'monthly', createdAt = CREATED, ...settings }: Wanted = {}) {
  const hash = randomUUID().replaceAll('-', '').repeat(2);
  const form = { name: 'Ada', email: 'ada@example.org', limit, createdAt, ...firstTerm(plan, createdAt) };
  const { key } = await createUserStore(database.prisma).create(form, { hash, start: 'qt_AAAA', scopes: OWNER_SCOPES });
  const all = { email: true, webhookUrl: null, thresholds: [80, 100], ...settings };
  const offered = { secret: 'whsec_a', isRotated: false, graceEnds: NOW };
  const store = createNoticeSettingsStore(database.prisma);
  await store.put(byOperator(key, OPERATOR), all, offered);
  return key;
}

/** Writes the ledger of a user's period: settled calls, and a lease with unsettled calls. */
async function spend(userKey: number, used: number, { unbooked = 0, unspent = 0, periodStart = CREATED } = {}) {
  const where = { userKey, periodStart: new Date(periodStart) };
  const counts = { used: used + unbooked + unspent };
  await database.prisma.usage.upsert({
    where: { userKey_periodStart: where },
    create: { ...where, ...counts },
    update: counts,
  });
  await database.prisma.lease.deleteMany({ where });
  if (unbooked + unspent === 0) return;
  const lease = { process: randomUUID(), date: new Date(NOW), report: 1, spent: unbooked, keyId: 1, path: 1 };
  await database.prisma.lease.create({ data: { ...where, ...lease, granted: unbooked + unspent } });
}

const look = (now = NOW, staysMs = 0) => store.addUsageNotices(now, staysMs);
/** The sent notices as `user:threshold`, in any order. */
async function received() {
  const rows = await database.prisma.notice.findMany({ where: { reportedAt: { not: null } } });
  return rows.map(({ userKey, threshold }) => `${userKey}:${threshold}`).sort();
}
const messages = () => database.prisma.outboxMessage.findMany();

describe('a threshold', () => {
  test('is reported once, by the second check', async () => {
    const ada = await createUser();
    await spend(ada, 79);
    expect([await look(), await look()]).toEqual([0, 0]);
    await spend(ada, 80);
    expect([await look(), await look(), await look()]).toEqual([0, 1, 0]);
    expect(await received()).toEqual([`${ada}:80`]);
    await spend(ada, 100);
    expect([await look(), await look(), await look()]).toEqual([0, 1, 0]);
    expect(await received()).toEqual([`${ada}:100`, `${ada}:80`]);
    const [notice] = await database.prisma.notice.findMany({ where: { threshold: 80 } });
    expect(await messages()).toHaveLength(2);
    expect(await messages()).toContainEqual(
      expect.objectContaining({ kind: 'notice-mail', userKey: ada, payload: { notice: notice?.id } }),
    );
    expect(notice).toMatchObject({ used: 80, limit: 100 });
  });

  test('is not reported before it has been exceeded for long enough', async () => {
    await spend(await createUser(), 80);
    await look(NOW, 60_000);
    expect(await look(NOW, 60_000)).toBe(0);
    expect(await look(NOW, 0)).toBe(1);
  });

  test('is reported although the clock was ahead when it was exceeded', async () => {
    await spend(await createUser(), 80);
    await look(NOW, 60_000);
    await database.prisma.$executeRaw`UPDATE notice SET seen_at = seen_at + interval '400 days'`;
    expect(await look(NOW, 60_000)).toBe(1);
  });

  test('is reached by unbooked calls, and not by calls that are only leased', async () => {
    const [ada, bob] = [await createUser(), await createUser()];
    await spend(ada, 70, { unbooked: 9, unspent: 21 });
    await spend(bob, 70, { unbooked: 10, unspent: 20 });
    await look();
    expect(await look()).toBe(1);
    expect(await received()).toEqual([`${bob}:80`]);
  });

  test('is not reported if calls are refunded in time, and is reported when it is reached again', async () => {
    const ada = await createUser();
    await spend(ada, 79, { unbooked: 1 });
    await look();
    await spend(ada, 79);
    expect([await look(), await database.prisma.notice.count()]).toEqual([0, 0]);
    await spend(ada, 80);
    await look();
    expect(await look()).toBe(1);
  });

  test('is reported once if calls are refunded afterwards', async () => {
    const ada = await createUser();
    for (const used of [80, 80, 79, 79, 80, 80, 80]) {
      await spend(ada, used);
      await look();
    }
    expect(await messages()).toHaveLength(1);
  });

  test('is a share of the limit, even of a limit of a few calls, and does not exist for a limit of zero', async () => {
    const [few, none] = [await createUser({ limit: 3, thresholds: [1, 34, 67] }), await createUser({ limit: 0 })];
    await spend(few, 1);
    await spend(none, 0);
    await look();
    await look();
    expect(await received()).toEqual([`${few}:1`]);
    await spend(few, 3);
    await look();
    expect(await look()).toBe(2);
  });

  test('is reported again in the next period, and for the last period if that was settled late', async () => {
    const ada = await createUser();
    const next = Date.parse('2026-04-01T00:00:00Z');
    await spend(ada, 80);
    await spend(ada, 85, { periodStart: next });
    await look(next + DAY);
    expect(await look(next + DAY)).toBe(2);
    await spend(ada, 100);
    await look(next + 10 * DAY);
    expect(await look(next + 10 * DAY)).toBe(0);
  });

  test('of a yearly plan is reported months after the period began', async () => {
    const ada = await createUser({ plan: 'yearly', createdAt: CREATED - 200 * DAY });
    await spend(ada, 90, { periodStart: CREATED - 200 * DAY });
    await look();
    expect(await look()).toBe(1);
  });

  test('is reported only to users who enabled it, by email and by webhook', async () => {
    const webhookUrl = 'https://example.org';
    const both = await createUser({ webhookUrl });
    const posted = await createUser({ email: false, webhookUrl });
    const others = [await createUser({ email: false }), await createUser({ thresholds: [] })];
    const [unset, verified, erased] = [await createUser(), await createUser(), await createUser()];
    const defaults = { userKey: { in: [unset, verified] } };
    await database.prisma.noticeSettings.deleteMany({ where: defaults });
    const confirmed = { key: { in: [verified, erased] } };
    await database.prisma.user.updateMany({ where: confirmed, data: { verifiedAt: new Date() } });
    await createUserStore(database.prisma).erase(byOperator(erased, OPERATOR), NOW);
    for (const one of [both, posted, ...others, unset, verified, erased]) await spend(one, 80);
    await look();
    expect(await look()).toBe(3);
    const sent = (await messages()).map(({ userKey, kind }) => `${userKey} ${kind}`).sort();
    const expected = [`${both} notice-mail`, `${both} notice-webhook`, `${posted} notice-webhook`];
    expect(sent).toEqual([...expected, `${verified} notice-mail`].sort());
    expect(await database.prisma.noticeSettings.count({ where: { userKey: erased } })).toBe(0);
  });

  test('is reported once, however many processes check at a time', async () => {
    const users = await Promise.all(Array.from({ length: 20 }, () => createUser()));
    for (const user of users) await spend(user, 100);
    for (let round = 0; round < 3; round += 1) await Promise.all([look(), look(), look(), look()]);
    expect(await received()).toHaveLength(40);
    expect(await messages()).toHaveLength(40);
  });
});

describe('the end of validity', () => {
  const ends = Date.parse('2026-04-01T00:00:00Z');
  const lookAt = (now: number) => store.addValidityNotices(now);

  test('is reported 7 days and 1 day before, once each, and not afterwards', async () => {
    const ada = await createUser();
    expect(await lookAt(ends - 7 * DAY - 1)).toBe(0);
    expect([await lookAt(ends - 7 * DAY), await lookAt(ends - 2 * DAY)]).toEqual([1, 0]);
    expect([await lookAt(ends - DAY), await lookAt(ends - 1), await lookAt(ends)]).toEqual([1, 0, 0]);
    expect(await received()).toEqual([`${ada}:1`, `${ada}:7`]);
  });

  test('is reported only with the last notice if the user registers late', async () => {
    const ada = await createUser();
    expect([await lookAt(ends - 1000), await lookAt(ends - 1000)]).toEqual([1, 0]);
    expect(await received()).toEqual([`${ada}:1`]);
    await createUser();
    expect(await lookAt(ends)).toBe(0);
  });

  test('is reported again after a renewal', async () => {
    const ada = await createUser();
    await lookAt(ends - DAY);
    const renewed = Date.parse('2026-05-01T00:00:00Z');
    await database.prisma.user.update({ where: { key: ada }, data: { validUntil: new Date(renewed) } });
    expect([await lookAt(ends), await lookAt(renewed - 7 * DAY)]).toEqual([0, 1]);
  });

  test('is not reported to a user without keys', async () => {
    const ada = await createUser();
    await createKeyStore(database.prisma).revokeKeys(byOperator(ada, OPERATOR), NOW);
    expect(await lookAt(ends - DAY)).toBe(0);
  });
});
