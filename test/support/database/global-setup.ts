import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PostgreSqlContainer } from '@testcontainers/postgresql';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '#database/migrations';
import { sessionOn } from '#database/pool';
import { startPooler } from './pooler.ts';

/** The source of a project's test databases: a dumped data directory to load, or a server's template. */
export type TestDatabaseSource =
  | { kind: 'embedded'; dump: string }
  | { kind: 'server'; url: string; template: string; pooler?: string };

declare module 'vitest' {
  interface ProvidedContext {
    databases: TestDatabaseSource;
  }
}

/** Creates one migrated database before a project's tests. Each test starts from a copy of it. */
export default function setUp(project: TestProject) {
  if (project.name === 'server' || project.name === 'upgrade') return setUpServer(project);
  if (project.name === 'pooled') return setUpServer(project, startPooler);
  return setUpEmbedded(project);
}

/**
 * Shared between projects, because each project loads this module separately and creating the database takes seconds.
 */
const run = globalThis as typeof globalThis & { embeddedDatabase?: ReturnType<typeof makeEmbedded> };

async function makeEmbedded() {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-test-'));
  const postgres = await PGlite.create();
  await migrate(postgres);
  const dump = join(directory, 'migrated.tar');
  await writeFile(dump, await (await postgres.dumpDataDir('none')).bytes());
  await postgres.close();
  return { directory, dump };
}

async function setUpEmbedded(project: TestProject) {
  run.embeddedDatabase ??= makeEmbedded();
  const { directory, dump } = await run.embeddedDatabase;
  project.provide('databases', { kind: 'embedded', dump });
  return () => rm(directory, { recursive: true, force: true });
}

async function setUpServer(project: TestProject, startBefore?: typeof startPooler) {
  const given = process.env.TEST_DATABASE_URL;
  const container = given ? undefined : await new PostgreSqlContainer('postgres:17').start();
  const url = given ?? container?.getConnectionUri() ?? '';
  // The databases of this run share a prefix, so that databases left by a killed worker are dropped as well.
  const template = `quotient_test_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${template}`);

  const migrated = new URL(url);
  migrated.pathname = `/${template}`;
  const client = new pg.Client({ connectionString: migrated.href });
  await client.connect();
  await migrate(sessionOn(client));
  await client.end();
  const pooler = await startBefore?.(url);
  project.provide('databases', { kind: 'server', url, template, ...(pooler && { pooler: pooler.url }) });

  return async () => {
    const { rows } = await admin.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
      [template],
    );
    for (const { name } of rows) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
    await pooler?.close();
    await container?.stop();
  };
}
