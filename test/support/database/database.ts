import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { type Database, openDatabase } from '#database/database';

export type TestDatabase = Awaited<ReturnType<typeof openTestDatabase>>;

/** Embedded databases that tests have released. Opening a database takes fifty times as long as emptying one. */
const idle: Database[] = [];

/**
 * Returns a new, migrated, empty database of the project's kind. `url` is set on a server, for tests that open more
 * connections. `close` drops the database.
 * @param unshared returns a database that no other test has used, for tests of opening and closing
 */
export async function openTestDatabase({ unshared = false } = {}) {
  const source = inject('databases');
  if (source.kind === 'embedded') {
    const openOne = async () => openDatabase({ dataDir: 'memory://', loadDataDir: await dump() });
    if (unshared) return { ...(await openOne()), url: undefined };
    const database = idle.pop() ?? (await openOne());
    let isOpen = true;
    return {
      ...database,
      url: undefined,
      async close() {
        if (!isOpen) return;
        isOpen = false;
        await empty(database);
        idle.push(database);
      },
    };
  }

  const { url, drop } = await createTestDatabase();
  const database = await openDatabase({ url, dataDir: 'unused' });
  return {
    ...database,
    url,
    async close() {
      await database.close();
      await drop();
    },
  };
}

/** Creates a directory with a migrated, empty embedded database, which this process has open. */
export const openDataDirectory = async (dataDir: string): Promise<Database> =>
  openDatabase({ dataDir, loadDataDir: await dump() });

/** Creates such a directory for another process to open. */
export async function makeDataDirectory(dataDir: string): Promise<void> {
  await (await openDataDirectory(dataDir)).close();
}

/** The migrated, empty embedded database in the form that `openDatabase` loads. */
async function dump(): Promise<Blob> {
  const source = inject('databases');
  if (source.kind !== 'embedded') throw new Error('only the embedded project has a dump to load');
  return new Blob([await readFile(source.dump)]);
}

/**
 * Deletes all rows except the built-in tokens, and resets the record numbers to 1. Skips tables without rows:
 * truncating a table is as expensive as writing to it, and a test writes to few tables.
 */
async function empty({ prisma }: Database): Promise<void> {
  const written = await prisma.$queryRaw<{ name: string }[]>`
    SELECT quote_ident(relname) AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
      AND relname NOT IN ('_prisma_migrations', 'token')`;
  const names = written.map(({ name }) => name).join(', ');
  if (names) await prisma.$executeRawUnsafe(`TRUNCATE ${names} RESTART IDENTITY CASCADE`);
  await prisma.token.deleteMany({ where: { name: { notIn: [...BUILT_IN_NAMES] } } });
  await prisma.token.updateMany({ data: { removedAt: null, requestedAt: null } });
  await prisma.$executeRaw`SELECT setval('token_position_seq', (SELECT max(position) FROM token))`;
}

/**
 * Creates a database on the server for tests that start processes. Only for the server project.
 * @param content `migrated`, or `empty` for tests of the migrations themselves
 */
export async function createTestDatabase(content: 'migrated' | 'empty' = 'migrated') {
  const source = inject('databases');
  if (source.kind !== 'server') throw new Error('only the server project has shared databases');
  const name = `${source.template}_${randomBytes(6).toString('hex')}`;
  const template = content === 'migrated' ? source.template : 'template0';
  await asAdmin(
    source.url,
    `CREATE DATABASE ${name} TEMPLATE ${template}`,
    // Test data need not survive a crash of the server, so commits do not wait for the disk.
    `ALTER DATABASE ${name} SET synchronous_commit TO off`,
  );

  const url = new URL(source.pooler ?? source.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => asAdmin(source.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function asAdmin(url: string, ...statements: string[]) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
