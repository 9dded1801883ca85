import { afterEach, beforeEach, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { deleteUsageBefore } from '#ledger/usage/usage-day-store';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

const TODAY = Date.parse('2026-05-15T00:00:00Z');

/** Creates users with calls on the latest dates, up to today. Returns their record numbers. */
async function insertUsers(count: number, dates: number) {
  const users = await database.prisma.user.createManyAndReturn({
    data: Array.from({ length: count }, () => ({
      plan: 'monthly' as const,
      limit: 1,
      ...{ anchor: new Date(0), createdAt: new Date(0), validUntil: new Date(0), updatedAt: new Date(0) },
    })),
    select: { key: true },
  });
  const keys = users.map(({ key }) => key).sort((a, b) => a - b);
  await database.prisma.$executeRaw`
    INSERT INTO usage_day (user_key, date, calls)
    SELECT key, '2026-05-15'::date - day, 1 FROM unnest(${keys}::int[]) AS u(key), generate_series(0, ${dates - 1}::int) AS d(day)`;
  return keys;
}

/** Deletes all rows before a date. Returns the number of rows that each batch deleted. */
async function deleteAll(before: number): Promise<number[]> {
  const deleted: number[] = [];
  for await (const rows of deleteUsageBefore(database.prisma, before)) deleted.push(rows);
  return deleted;
}

const kept = () =>
  database.prisma.$queryRaw`
    SELECT count(*)::int AS rows, min(date)::text AS first FROM usage_day`;

it('deletes the rows of older dates in batches and keeps all others', async () => {
  await insertUsers(30, 500);
  // Batches consist of whole users, up to 5,000 rows.
  expect(await deleteAll(TODAY - 99 * DAY)).toEqual([13 * 400, 13 * 400, 4 * 400]);
  expect(await kept()).toEqual([{ rows: 30 * 100, first: '2026-02-05' }]);
  expect(await deleteAll(TODAY - 99 * DAY)).toEqual([0]);
});

it('ends a batch after a number of users, and continues with the next user', async () => {
  await insertUsers(4500, 1);
  await insertUsers(1, 40);
  expect(await deleteAll(TODAY - 9 * DAY)).toEqual([0, 0, 30]);
  expect(await kept()).toEqual([{ rows: 4500 + 10, first: '2026-05-06' }]);
});

it('deletes the calls by key and path of the same dates', async () => {
  const [userKey = 0] = await insertUsers(1, 40);
  await database.prisma.$executeRaw`
    INSERT INTO usage_detail (user_key, date, key_id, path, calls)
    SELECT user_key, date, 1, 1, calls FROM usage_day WHERE user_key = ${userKey}::int`;
  await deleteAll(TODAY - 9 * DAY);
  const details = await database.prisma.usageDetail.findMany({ where: { userKey }, orderBy: { date: 'asc' } });
  expect([details.length, details[0]?.date]).toEqual([10, new Date('2026-05-06')]);
});

it('deletes all rows of a user who has more rows than a batch', async () => {
  await insertUsers(1, 7000);
  expect(await deleteAll(TODAY)).toEqual([6999]);
});
