import { expect, test } from 'vitest';
import { openDatabase } from '#database/database';
import { connectTo } from '../support/database/client.ts';
import { createTestDatabase, openTestDatabase } from '../support/database/database.ts';

test('connections that the server closes are replaced, whether idle or in a transaction', async () => {
  const database = await openTestDatabase();
  const admin = await connectTo(database.url);
  const endOthers = () =>
    admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );

  await Promise.all(Array.from({ length: 4 }, () => database.ready()));
  expect((await endOthers()).rowCount).toBeGreaterThan(0);
  await expect
    .poll(() =>
      database.ready().then(
        () => 'reached',
        () => 'gone',
      ),
    )
    .toBe('reached');

  const cutOff = database.prisma.$transaction(async (tx) => {
    await tx.refresh.create({ data: { resource: 'latest' } });
    await endOthers();
    await tx.refresh.count();
  });
  await expect(cutOff).rejects.toThrow();
  await expect.poll(() => database.prisma.refresh.count().catch(() => 'gone')).toBe(0);

  await admin.end();
  await database.close();
});

test('the pool opens at most as many connections as its size', async () => {
  const { url, drop } = await createTestDatabase();
  const database = await openDatabase({ url, dataDir: 'unused', poolSize: 2 });
  const counted = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const rows = await database.prisma.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      return rows[0]?.pid;
    }),
  );
  expect(new Set(counted).size).toBeLessThanOrEqual(2);
  await database.close();
  await drop();
});

test('settings are sent when connecting, and never set in a session that a pooler may pass to another client', async () => {
  const { url, drop } = await createTestDatabase();
  const { prisma, ready, close } = await openDatabase({
    url,
    dataDir: 'unused',
    poolSize: 1,
    statementMs: 7000,
  });
  await ready();
  await prisma.$transaction(async (tx) => void (await tx.user.count()));
  const settings = await prisma.$queryRaw<{ name: string; setting: string; source: string }[]>`
    SELECT name, setting, source FROM pg_settings
    WHERE name IN ('jit', 'statement_timeout', 'default_transaction_isolation') OR source = 'session' ORDER BY name`;
  expect(settings).toEqual([
    { name: 'default_transaction_isolation', setting: 'read committed', source: 'client' },
    { name: 'jit', setting: 'off', source: 'client' },
    { name: 'statement_timeout', setting: '7000', source: 'client' },
  ]);
  await close();
  await drop();
});
