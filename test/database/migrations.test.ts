import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migrate, readMigrations } from '#database/migrations';
import { openSchemaEngine } from '../support/database/schema-engine.ts';

const FIRST = {
  name: '20260101000000_first',
  script: 'CREATE TABLE a (n INT);\nINSERT INTO a VALUES (1);\n',
};
const SECOND = { name: '20260102000000_second', script: 'CREATE TABLE b (n INT);\n' };
const FAULTY = { name: '20260103000000_faulty', script: 'CREATE TABLE c (n INT);\nSELECT no_such_column;\n' };

let postgres: PGlite;

beforeAll(async () => {
  postgres = await PGlite.create();
});
afterAll(() => postgres.close());
beforeEach(() => postgres.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));

async function tables() {
  const { rows } = await postgres.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`,
  );
  return rows.map((row) => row.name);
}

describe('compared with the engine of prisma migrate', () => {
  test('the migrations create the schema, and an additional column is detected', async () => {
    await migrate(postgres);
    const engine = await openSchemaEngine(postgres);
    expect(await engine.missing()).toBeUndefined();
    await postgres.exec('ALTER TABLE "user" ADD COLUMN extra INT');
    expect(await engine.missing()).toContain('DROP COLUMN "extra"');
    engine.close();
  });

  test('records the same data as prisma migrate deploy', async () => {
    const clock = { now: () => Date.UTC(2026, 0, 2), elapsed: () => 0 };
    const layout = `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
      FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`;
    const records =
      'SELECT checksum, migration_name, logs, rolled_back_at, applied_steps_count FROM _prisma_migrations';
    await migrate(postgres, { migrations: [FIRST], clock });
    const ours = [await postgres.query(layout), await postgres.query(records)];
    const { rows: times } = await postgres.query('SELECT id, started_at, finished_at FROM _prisma_migrations');
    expect(times).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        started_at: new Date(clock.now()),
        finished_at: new Date(clock.now()),
      },
    ]);

    await postgres.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const engine = await openSchemaEngine(postgres);
    await engine.deploy([FIRST]);
    expect(ours).toEqual([await postgres.query(layout), await postgres.query(records)]);
    engine.close();
  });

  test('each runner continues where the other one stopped', async () => {
    const engine = await openSchemaEngine(postgres);
    await migrate(postgres, { migrations: [FIRST] });
    expect(await engine.deploy([FIRST, SECOND])).toEqual([SECOND.name]);
    expect(await migrate(postgres, { migrations: [FIRST, SECOND] })).toEqual([]);
    expect(await engine.history([FIRST, SECOND])).toMatchObject({
      editedMigrationNames: [],
      failedMigrationNames: [],
      history: null,
    });
    engine.close();
  });
});

test('each migration is applied once, in name order', async () => {
  expect(await migrate(postgres, { migrations: [FIRST] })).toEqual([FIRST.name]);
  expect(await migrate(postgres, { migrations: [FIRST, SECOND] })).toEqual([SECOND.name]);
  expect(await migrate(postgres, { migrations: [FIRST, SECOND] })).toEqual([]);
  expect((await postgres.query('SELECT n FROM a')).rows).toEqual([{ n: 1 }]);
});

test('a failed migration is rolled back, and earlier migrations are kept', async () => {
  const migrations = [FIRST, FAULTY];
  await expect(migrate(postgres, { migrations })).rejects.toThrow(
    `the migration ${FAULTY.name} failed: column "no_such_column" does not exist`,
  );
  expect(await tables()).toEqual(['_prisma_migrations', 'a']);
  const { rows } = await postgres.query('SELECT migration_name FROM _prisma_migrations');
  expect(rows).toEqual([{ migration_name: FIRST.name }]);

  const repaired = { ...FAULTY, script: 'CREATE TABLE c (n INT)' };
  expect(await migrate(postgres, { migrations: [FIRST, repaired] })).toEqual([FAULTY.name]);
});

test('a migration that was changed after it was applied is rejected, unless only its line endings differ', async () => {
  await migrate(postgres, { migrations: [FIRST] });
  const onWindows = { ...FIRST, script: FIRST.script.replaceAll('\n', '\r\n') };
  expect(await migrate(postgres, { migrations: [onWindows] })).toEqual([]);
  const changed = { ...FIRST, script: `${FIRST.script}-- more\n` };
  await expect(migrate(postgres, { migrations: [changed, SECOND] })).rejects.toThrow(
    `the file of the migration ${FIRST.name} was changed`,
  );
  expect(await tables()).not.toContain('b');
});

test('a database with a migration of a later release is rejected', async () => {
  await migrate(postgres, { migrations: [FIRST, SECOND] });
  await expect(migrate(postgres, { migrations: [FIRST] })).rejects.toThrow(
    `the database has the migration ${SECOND.name}, which does not exist in this release`,
  );
});

test('a database of a development version is rejected with the remedy, and is not changed', async () => {
  const draft = { ...FIRST, name: '20251231000000_draft', script: `-- oldest-release: 0.1.0\n${FIRST.script}` };
  await migrate(postgres, { migrations: [draft] });
  const migrating = migrate(postgres, { migrations: [FIRST, SECOND], version: '9.0.0' });
  await expect(migrating).rejects.toThrow(/20251231000000_draft, which is in no release.* Use a new, empty database/);
  expect(await tables()).toEqual(['_prisma_migrations', 'a']);
});

describe('a database migrated by a newer release', () => {
  const NEWER = { ...SECOND, script: `-- oldest-release: 0.2.0\n${SECOND.script}` };
  beforeEach(() => migrate(postgres, { migrations: [FIRST, NEWER] }));

  test.each(['0.2.0', '0.2.1', '0.10.0', '1.0.0'])(
    'can be used by release %s, which does not change it',
    async (version) => {
      expect(await migrate(postgres, { migrations: [FIRST], version })).toEqual([]);
    },
  );

  test.each(['0.1.9', '0.1.10', '0.0.9'])('rejects release %s and names the required release', async (version) => {
    const starting = migrate(postgres, { migrations: [FIRST], version });
    await expect(starting).rejects.toThrow(/20260102000000_second.* 0\.2\.0 or newer/);
  });

  test('can be opened again by the newer release, and prisma migrate accepts the record', async () => {
    expect(await migrate(postgres, { migrations: [FIRST, NEWER], version: '0.1.0' })).toEqual([]);
    const { rows } = await postgres.query('SELECT logs, finished_at IS NOT NULL AS done FROM _prisma_migrations');
    expect(rows).toEqual([
      { logs: null, done: true },
      { logs: '-- oldest-release: 0.2.0', done: true },
    ]);
  });
});

test('every migration after the first names the oldest release that can run on the migrated database', async () => {
  const [, ...later] = await readMigrations();
  for (const { name, script } of later) expect(script, name).toMatch(/^-- oldest-release: \d+\.\d+\.\d+$/m);
});

test('a migration that failed under prisma migrate is rejected until it is marked as rolled back', async () => {
  await migrate(postgres, { migrations: [FIRST] });
  await postgres.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ('x', 'y', $1, 'out of luck')`,
    [SECOND.name],
  );
  const migrations = [FIRST, SECOND];
  await expect(migrate(postgres, { migrations })).rejects.toThrow(
    `the migration ${SECOND.name} failed earlier: repair the database and restart (out of luck)`,
  );
  await postgres.exec(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = 'x'`);
  expect(await migrate(postgres, { migrations })).toEqual([SECOND.name]);
});

test('rejects a database with other tables, and does not change it', async () => {
  await postgres.exec('CREATE TABLE theirs (n INT)');
  await expect(migrate(postgres, { migrations: [FIRST] })).rejects.toThrow('theirs');
  expect(await tables()).toEqual(['theirs']);
});
