import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { deleteExpired, RETENTION } from '#database/retention';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it('has an entry for each table', async () => {
  const tables = await database.prisma.$queryRaw<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'`;
  expect(Object.keys(RETENTION).sort()).toEqual(tables.map(({ name }) => name).sort());
});

it('deletes rows when their time is over, and keeps the others', async () => {
  const { prisma } = database;
  const now = Date.now();
  const days = [1, 89, 90, 91, 92].map((age) => new Date(now - age * DAY));
  await prisma.observedDay.createMany({ data: days.map((date) => ({ component: 'database', date })) });
  const incident = { component: 'database', state: 'down', reason: 'x', startedAt: new Date(0) };
  await prisma.incident.createMany({
    data: [
      { ...incident, endedAt: new Date(now - 90 * DAY) },
      { ...incident, endedAt: new Date(now - 90 * DAY + 1) },
      { ...incident, endedAt: null },
    ],
  });
  await deleteExpired(prisma, now);
  expect(await prisma.observedDay.count()).toBe(3);
  expect(await prisma.incident.count()).toBe(2);
});
