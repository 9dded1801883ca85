import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { connectTo } from '../support/database/client.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';

let database: TestDatabase;
let other: pg.Client;
beforeAll(async () => {
  database = await openTestDatabase();
  other = await connectTo(database.url);
});
afterAll(async () => {
  await other?.end();
  await database?.close();
});

test('a process that waited for another’s turn has an older time, and does not take the turn again', async () => {
  const store = createRefreshStore(database.prisma);
  await other.query(`INSERT INTO refresh (resource, fetched_at) VALUES ('notices:use', now() - interval '1 hour')`);
  await other.query('BEGIN');
  await other.query(`SELECT FROM refresh WHERE resource = 'notices:use' FOR UPDATE`);
  const second = store.takeTurn('notices:use', 60_000);
  const waiting = () => database.prisma.$queryRaw<object[]>`
    SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(waiting).toHaveLength(1);
  await other.query(
    `UPDATE refresh SET fetched_at = date_trunc('milliseconds', clock_timestamp()) WHERE resource = 'notices:use'`,
  );
  await other.query('COMMIT');
  expect(await second).toBe(false);
});
