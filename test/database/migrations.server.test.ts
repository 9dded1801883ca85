import { expect, test } from 'vitest';
import { type Migration, migrate, readMigrations } from '#database/migrations';
import { sessionOn } from '#database/pool';
import { connectTo } from '../support/database/client.ts';
import { createTestDatabase } from '../support/database/database.ts';

async function connect(url: string) {
  const client = await connectTo(url);
  return { client, migrate: (migrations?: Migration[]) => migrate(sessionOn(client), { migrations }) };
}

test('four processes that start at the same time apply each migration once', async () => {
  const { url, drop } = await createTestDatabase('empty');
  const connections = await Promise.all([connect(url), connect(url), connect(url), connect(url)]);
  const applied = await Promise.all(connections.map((connection) => connection.migrate()));

  const names = (await readMigrations()).map((migration) => migration.name);
  expect(applied.flat().sort()).toEqual(names);
  const { rows } = await connections[0].client.query(
    'SELECT migration_name AS name, applied_steps_count AS steps FROM _prisma_migrations ORDER BY migration_name',
  );
  expect(rows).toEqual(names.map((name) => ({ name, steps: 1 })));

  await Promise.all(connections.map((connection) => connection.client.end()));
  await drop();
});

test('a migration waits for prisma migrate, which uses the same lock', async () => {
  const { url, drop } = await createTestDatabase('empty');
  const prisma = await connect(url);
  const ours = await connect(url);
  await prisma.client.query('SELECT pg_advisory_lock(72707369)');
  const applied = ours.migrate([{ name: '20260101000000_first', script: 'CREATE TABLE a (n INT)' }]);

  // Granted and waiting locks are in one view, so the waiting lock is visible before the first lock is released.
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 72707369 AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await expect.poll(async () => (await prisma.client.query(waiting)).rowCount).toBe(1);
  expect((await prisma.client.query(`SELECT to_regclass('public.a') AS a`)).rows).toEqual([{ a: null }]);
  await prisma.client.query('SELECT pg_advisory_unlock(72707369)');
  expect(await applied).toEqual(['20260101000000_first']);

  await prisma.client.end();
  await ours.client.end();
  await drop();
});
