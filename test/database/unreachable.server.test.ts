import pg from 'pg';
import { expect, test } from 'vitest';
import { openDatabase } from '#database/database';
import { identifyDatabaseFailure } from '#database/unreachable';
import { createTestDatabase } from '../support/database/database.ts';

test('reports a server that disconnects during the migrations with a retryable error', async () => {
  const { url, drop } = await createTestDatabase('empty');
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query('SELECT pg_advisory_lock(72707369)');
  const attempt = openDatabase({ url, dataDir: 'unused' }).catch((error: unknown) => error);

  const waiting = `FROM pg_locks WHERE locktype = 'advisory' AND objid = 72707369 AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await expect.poll(async () => (await other.query(`SELECT ${waiting}`)).rowCount).toBe(1);
  await other.query(`SELECT pg_terminate_backend(pid) ${waiting}`);
  expect(await attempt).toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringMatching(/^lost the database at [\w.]+:\d+: terminating connection/),
  });

  await other.query('SELECT pg_advisory_unlock(72707369)');
  const database = await openDatabase({ url, dataDir: 'unused' });
  expect(await database.prisma.user.count()).toBe(0);
  await database.close();
  await other.end();
  await drop();
});

test('a server that disconnects during a commit is a failure of the database', async () => {
  const { url, drop } = await createTestDatabase();
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query(
    `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END'`,
  );
  await other.query(`CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON refresh DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wait()`);
  const database = await openDatabase({ url, dataDir: 'unused' });
  const attempt = database.prisma
    .$transaction((tx) => tx.$executeRaw`INSERT INTO refresh (what) VALUES ('a test')`)
    .catch((error: unknown) => error);

  const committing = `FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'PgSleep'`;
  await expect.poll(async () => (await other.query(`SELECT ${committing}`)).rowCount).toBe(1);
  await other.query(`SELECT pg_terminate_backend(pid) ${committing}`);
  expect(identifyDatabaseFailure(await attempt)).toMatchObject({ cause: '57P01' });
  await database.close();
  await other.end();
  await drop();
});
