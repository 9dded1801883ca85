import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '#database/migrations';
import { sessionOn } from '#database/pool';
import { databaseStatements, PASSWORD, roleStatements, SHADOWS, SYSTEM_STATEMENTS } from './adverse-settings.ts';
import { connectTo } from './client.ts';
import { startContainer } from './container.ts';
import { startPooler } from './pooler.ts';

/**
 * The source of a project's test databases: a dumped data directory to load, the distributed database of a cluster, which
 * all tests share, or a server's template. `admin` is the URL
 * of a superuser, `url` that of the role which owns the databases, perhaps through a pooler.
 */
type TestDatabaseSource =
  | { kind: 'embedded'; dump: string }
  | { kind: 'cluster'; url: string }
  | { kind: 'server'; admin: string; url: string; template: string; isPooled: boolean };

declare module 'vitest' {
  interface ProvidedContext {
    databases: TestDatabaseSource;
  }
}

/** Creates one migrated database before a project's tests. Each test starts from a copy of it. */
export default function setUp(project: TestProject) {
  if (['server', 'timed', 'upgrade'].includes(project.name)) return setUpServer(project);
  if (project.name === 'outside' && process.env.TEST_DATABASE_URL) return setUpServer(project);
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
  for (const statement of SYSTEM_STATEMENTS) await postgres.exec(statement);
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
  const container = given ? undefined : await startContainer();
  const url = given ?? container?.url ?? '';
  // The databases of this run share a prefix, so that databases left by a killed worker are dropped as well.
  const template = `quotient_test_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const isPooled = startBefore !== undefined;
  const creation = [...roleStatements(template), `CREATE DATABASE ${template} OWNER ${template}`];
  for (const statement of [...creation, ...databaseStatements(template, isPooled)]) await admin.query(statement);

  const asRole = new URL(url);
  [asRole.username, asRole.password, asRole.pathname] = [template, PASSWORD, `/${template}`];
  const client = await connectTo(asRole.href);
  await migrate(sessionOn(client));
  await client.query(SHADOWS);
  await client.end();
  const pooler = await startBefore?.(asRole.href);
  project.provide('databases', { kind: 'server', admin: url, url: pooler?.url ?? asRole.href, template, isPooled });

  return async () => {
    const { rows } = await admin.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
      [template],
    );
    for (const { name } of rows) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.query(`DROP ROLE ${template}`);
    await admin.end();
    await pooler?.close();
    await container?.stop();
  };
}
