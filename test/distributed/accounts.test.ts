import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { deleteUsageBefore } from '#ledger/usage/usage-day-store';
import { createNoticeStore } from '#notifications/notices/notice-store';
import { createActivityStore } from '#operator/users/activity-store';
import { createUserSearchStore } from '#operator/users/search-store';
import { byOperator } from '#users/authority';
import { createUser, handClock, openLeaseHolder } from '../ledger/allowance-harness.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { OPERATOR } from '../support/operator.ts';

/* The statements that read the ledger with tables of the coordinator. */

const NOW = Date.UTC(2026, 4, 10, 12);
const OLD = Date.UTC(2020, 0, 1);

let database: TestDatabase;
let holder: ReturnType<typeof openLeaseHolder>;
let key: number;
beforeAll(async () => {
  database = await openTestDatabase();
  holder = openLeaseHolder(database, handClock(NOW));
  const user = await createUser(database, holder, { limit: 100, at: NOW });
  key = user.key;
  for (let n = 0; n < 90; n++) holder.keep(await holder.call(user.apiKey));
  await holder.settle();
});
afterAll(async () => {
  await holder?.close();
  await database?.close();
});

it('the operator finds users in the order of their calls', async () => {
  const activity = createActivityStore(database.prisma);
  await activity.add(NOW);
  for (let last: number | undefined = 0; last !== undefined; ) last = await activity.update(NOW, false, last);
  const { search } = createUserSearchStore(database.prisma);
  expect(await search({ query: String(key) }, 'usage', undefined, 1, NOW)).toEqual([{ value: 90, key }]);
});

it('a user who has reached a threshold receives one notice', async () => {
  await database.prisma.user.updateMany({ where: { key }, data: { verifiedAt: new Date(NOW) } });
  const store = createNoticeStore(database.prisma);
  for (let round = 0; round < 3; round++) await store.addUsageNotices(NOW, 0);
  await store.addValidityNotices(NOW);
  const notices = await database.prisma.notice.findMany({ where: { userKey: key } });
  expect(notices).toMatchObject([{ kind: 'usage', threshold: 80, used: 90 }]);
  expect(await database.prisma.outboxMessage.count({ where: { userKey: key } })).toBe(1);
});

it('deletes expired counts', async () => {
  await database.prisma.usageDay.create({ data: { userKey: key, date: new Date(OLD), calls: 3 } });
  for await (const _ of deleteUsageBefore(database.prisma, OLD + DAY));
  expect(await database.prisma.usageDay.count({ where: { userKey: key, date: new Date(OLD) } })).toBe(0);
});

it('an erased user keeps its counts', async () => {
  await holder.users.erase(byOperator(key, OPERATOR));
  const [user] = await database.prisma.user.findMany({ where: { key }, include: { usage: true } });
  expect(user).toMatchObject({ email: null, usage: [{}] });
});
