import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect, inject, vi } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { type Database, openDatabase } from '#database/database';
import { databaseStatements } from './adverse-settings.ts';

export type TestDatabase = Awaited<ReturnType<typeof openTestDatabase>>;

type Opened = Database & { url: string | undefined };

/** Databases that tests have released. Opening a database takes many times as long as emptying one. */
const idle: Opened[] = [];

/**
 * Returns a migrated, empty database of the project's kind. `url` is set on a server, for tests that open more
 * connections.
 * @param unshared returns a new database that `close` drops, for tests of opening, closing and the schema. Tests that run
 *   only on a server always receive one
 */
export async function openTestDatabase({ unshared = false } = {}): Promise<Opened> {
  if (unshared || isServerTest() || inject('databases').kind === 'cluster') return openUnshared();
  const database = idle.pop() ?? (await openUnshared());
  let isOpen = true;
  return {
    ...database,
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await empty(database);
      idle.push(database);
    },
  };
}

/** All other tests run on the embedded database as well, or only there, so they leave only rows in it. */
const isServerTest = () => expect.getState().testPath?.endsWith('.server.test.ts') ?? false;

async function openUnshared(): Promise<Opened> {
  const source = inject('databases');
  if (source.kind === 'cluster')
    return { ...(await openDatabase({ url: source.url, dataDir: 'unused' })), url: source.url };
  if (source.kind === 'embedded')
    return { ...(await openDatabase({ dataDir: 'memory://', loadDataDir: await dump() })), url: undefined };
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

const BUILT_IN = `(${[...BUILT_IN_NAMES].map((name) => `'${name}'`).join()})`;
const TOKENS = [
  `added AS (DELETE FROM token WHERE name NOT IN ${BUILT_IN})`,
  `changed AS (UPDATE token SET removed_at = NULL, requested_at = NULL
    WHERE name IN ${BUILT_IN} AND (removed_at IS NOT NULL OR requested_at IS NOT NULL))`,
];
const TOKEN_POSITION = `setval('token_position_seq', (SELECT max(position) FROM token WHERE name IN ${BUILT_IN}))`;

/**
 * Deletes all rows except the built-in tokens, and resets the record numbers to 1. One statement deletes all rows, so the
 * order of the tables does not matter. Truncating a table takes longer than deleting the few rows of a test.
 */
async function empty({ prisma }: Database): Promise<void> {
  const [all] = await prisma.$queryRaw<{ tables: string[]; sequences: string[] }[]>`
    SELECT
      ARRAY(SELECT quote_ident(relname) FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
              AND relname NOT IN ('_prisma_migrations', 'token')) AS tables,
      ARRAY(SELECT quote_ident(sequencename) FROM pg_sequences
            WHERE schemaname = 'public' AND last_value IS NOT NULL AND sequencename <> 'token_position_seq') AS sequences`;
  const { tables = [], sequences = [] } = all ?? {};
  const deletions = tables.map((name, i) => `d${i} AS (DELETE FROM ${name})`);
  const resets = sequences.map((name) => `setval('${name}', 1, false)`);
  const statement = `WITH ${[...deletions, ...TOKENS].join()} SELECT ${[...resets, TOKEN_POSITION].join()}`;
  // A statement that the closed service no longer awaits may still run, and lock the same rows in another order.
  await vi.waitFor(() => prisma.$executeRawUnsafe(statement), 5_000);
}

/**
 * Creates a database on the server for tests that start processes. Only for the server project.
 * @param content `migrated`, or `empty` for tests of the migrations themselves
 * @param options.isPooled whether the test starts a pooler, which cannot set the isolation level
 * @param options.suffix characters at the end of the name
 */
export async function createTestDatabase(
  content: 'migrated' | 'empty' = 'migrated',
  { isPooled = false, encoding = 'UTF8', suffix = '' } = {},
) {
  const source = inject('databases');
  if (source.kind === 'cluster') return { url: source.url, drop: async () => undefined };
  if (source.kind !== 'server') throw new Error('only the server project has shared databases');
  const plainName = `${source.template}_${randomBytes(6).toString('hex')}${suffix}`;
  const name = `"${plainName}"`;
  const template = content === 'migrated' ? source.template : 'template0';
  await asAdmin(
    source.admin,
    `CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${source.template} ENCODING '${encoding}'${encoding === 'UTF8' ? '' : " LC_COLLATE 'C' LC_CTYPE 'C'"}`,
    ...databaseStatements(name, source.isPooled || isPooled),
    // Test data need not survive a crash of the server, so commits do not wait for the disk.
    `ALTER DATABASE ${name} SET synchronous_commit TO off`,
  );

  const url = new URL(source.url);
  url.pathname = `/${encodeURIComponent(plainName)}`;
  return {
    url: url.href,
    drop: () => asAdmin(source.admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
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
