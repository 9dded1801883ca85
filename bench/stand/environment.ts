import { execute } from './database.ts';
import { pinTo } from './service-process.ts';

/** The environment of a bench, which contains a PostgreSQL server if one is available. */
export type Environment = { databaseServer: string | undefined };

/**
 * Finds a PostgreSQL server: the server at `BENCH_DATABASE_URL`, or a temporary server if Debian's programs are
 * installed. A temporary server shares a core with the load. An existing server can use any core, including the
 * service's core.
 */
export async function openEnvironment() {
  const given = process.env.BENCH_DATABASE_URL;
  if (given) return { databaseServer: given, version: await versionOf(given), close: async () => undefined };
  const { canStartPostgres, startPostgresServer } = await import('../../fixtures/postgres-server.ts');
  if (!canStartPostgres) {
    console.error(
      'No PostgreSQL server: set BENCH_DATABASE_URL or install one. The embedded database is measured instead, ' +
        'and benches with several processes are skipped.',
    );
    return { databaseServer: undefined, version: 'embedded', close: async () => undefined };
  }
  const server = await startPostgresServer(pinTo(1));
  return { databaseServer: server.url, version: await versionOf(server.url), close: server.close };
}

async function versionOf(url: string): Promise<string> {
  const [row] = await execute<{ server_version: string }>(url, 'SHOW server_version');
  return row?.server_version ?? 'unknown';
}
