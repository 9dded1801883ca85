import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { openDatabase } from '../../src/stores/database.ts';

export type TestDatabase = Awaited<ReturnType<typeof openTestDatabase>>;

/**
 * A fresh, migrated, empty database of the kind that the project is about; `url` on a server, for tests that open
 * more connections. `close` drops it.
 */
export async function openTestDatabase() {
  const source = inject('databases');
  if (source.kind === 'embedded') {
    const loadDataDir = new Blob([await readFile(source.dump)]);
    const database = await openDatabase({ dataDir: 'memory://', loadDataDir });
    return { ...database, url: undefined };
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

/**
 * A database on the server for tests that start processes of their own. Server project only.
 * @param content `migrated`, or `empty` for tests of the migrations themselves
 */
export async function createTestDatabase(content: 'migrated' | 'empty' = 'migrated') {
  const source = inject('databases');
  if (source.kind !== 'server') throw new Error('only the server project has databases to be shared');
  const name = `${source.template}_${randomBytes(6).toString('hex')}`;
  const template = content === 'migrated' ? source.template : 'template0';
  await asAdmin(source.url, `CREATE DATABASE ${name} TEMPLATE ${template}`);

  const url = new URL(source.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => asAdmin(source.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function asAdmin(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
