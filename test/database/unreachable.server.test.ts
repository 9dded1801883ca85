import { expect, onTestFinished, test } from 'vitest';
import { identifyDatabaseFailure } from '#database/connection/unreachable';
import { openDatabase } from '#database/database';
import { connectTo } from '../support/database/client.ts';
import { createTestDatabase } from '../support/database/database.ts';

test('reports a server that disconnects during the migrations with a retryable error', async () => {
  const { url, drop } = await createTestDatabase('empty');
  const other = await connectTo(url);
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
  const other = await connectTo(url);
  await other.query(
    `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END'`,
  );
  await other.query(`CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON refresh DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wait()`);
  const database = await openDatabase({ url, dataDir: 'unused' });
  const attempt = database.prisma
    .$transaction((tx) => tx.$executeRaw`INSERT INTO refresh (resource) VALUES ('a test')`)
    .catch((error: unknown) => error);

  const committing = `FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'PgSleep'`;
  await expect.poll(async () => (await other.query(`SELECT ${committing}`)).rowCount).toBe(1);
  await other.query(`SELECT pg_terminate_backend(pid) ${committing}`);
  expect(identifyDatabaseFailure(await attempt)).toMatchObject({ cause: '57P01' });
  await database.close();
  await other.end();
  await drop();
});

test.each([
  ['UNSUITABLE', /permission denied/, () => 'REVOKE CREATE ON SCHEMA public FROM pg_database_owner'],
  [undefined, /it is read-only/, (name: string) => `ALTER DATABASE "${name}" SET default_transaction_read_only TO on`],
])('names a database in which the role cannot create tables: %s, %s', async (code, reason, statementFor) => {
  const { url, drop } = await createTestDatabase('empty');
  onTestFinished(drop);
  const { host, pathname } = new URL(url);
  const owner = await connectTo(url);
  await owner.query(statementFor(pathname.slice(1)));
  await owner.end();
  const error = await openDatabase({ url, dataDir: 'unused' }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ message: expect.stringMatching(reason) });
  expect((error as Error).message).toContain(`cannot use the database at ${host}: `);
  expect((error as { code?: string }).code).toBe(code);
});
