import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OWNER_SCOPES } from '#keys/api-key';
import { createNoticeStore } from '#notifications/notices/notice-store';
import { firstTerm } from '#users/plan';
import { createUserStore } from '#users/user-store';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

const NOW = Date.parse('2026-03-10T12:00:00Z');
const CREATED = Date.parse('2026-03-01T00:00:00Z');

/** The number of statements that wait for a row that another transaction has locked. */
async function waiting(): Promise<number> {
  const [{ count }] = await database.prisma.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return count;
}

test('a notice that two processes find due at the same time is sent once', async () => {
  const { prisma } = database;
  const store = createNoticeStore(prisma);
  const term = firstTerm('monthly', CREATED);
  const form = { name: 'Ada', email: 'ada@example.org', limit: 100, createdAt: CREATED, ...term };
  const hash = randomUUID().replaceAll('-', '').repeat(2);
  const { key } = await createUserStore(prisma).create(form, { hash, start: 'qt_AAAA', scopes: OWNER_SCOPES });
  await prisma.user.update({ where: { key }, data: { verifiedAt: new Date(CREATED) } });
  await prisma.usage.create({ data: { userKey: key, periodStart: new Date(CREATED), used: 100 } });
  expect(await store.addUsageNotices(NOW, 0)).toBe(0);

  const adding = await prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT id FROM notice FOR UPDATE`;
    const both = [store.addUsageNotices(NOW, 0), store.addUsageNotices(NOW, 0)];
    await expect.poll(waiting).toBe(2);
    return both;
  });
  const added = await Promise.all(adding);
  expect(added.toSorted()).toEqual([0, added[0] || added[1]]);
  const notices = await prisma.notice.count();
  expect(await prisma.outboxMessage.count()).toBe(notices);
});
