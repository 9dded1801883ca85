import { expect, test } from 'vitest';
import { openTestDatabase } from '../support/database/database.ts';

test('each test has its own migrated, empty database', async () => {
  const [one, other] = [await openTestDatabase(), await openTestDatabase()];
  await one.ready();
  await one.prisma.refresh.create({ data: { what: 'latest' } });
  expect(await one.prisma.refresh.count()).toBe(1);
  expect(await other.prisma.refresh.count()).toBe(0);
  await Promise.all([one.close(), other.close()]);
});

test('a transaction that throws writes nothing', async () => {
  const { prisma, close } = await openTestDatabase();
  const transaction = prisma.$transaction(async (tx) => {
    await tx.refresh.create({ data: { what: 'latest' } });
    throw new Error('no');
  });
  await expect(transaction).rejects.toThrow('no');
  expect(await prisma.refresh.count()).toBe(0);
  await close();
});

test('a closed database is no longer ready', async () => {
  const database = await openTestDatabase({ unshared: true });
  await database.close();
  await expect(database.ready()).rejects.toThrow();
});
