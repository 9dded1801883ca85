import { execute } from './database.ts';
import { pinTo } from './service-process.ts';

/** What a bench finds around it: a PostgreSQL server, where there is one. */
export type Environment = { databaseServer: string | undefined };

/**
 * Finds a PostgreSQL server: the one of `BENCH_DATABASE_URL`, else one of its own for as long as this takes, where
 * Debian's programs are installed, else none. One of its own shares a core with the load; one that was there runs where
 * the system puts it, on the server's core too.
 */
export async function openEnvironment() {
  const given = process.env.BENCH_DATABASE_URL;
  if (given) return { databaseServer: given, version: await versionOf(given), close: async () => undefined };
  const { canStartPostgres, startPostgresServer } = await import('../fixtures/postgres-server.ts');
  if (!canStartPostgres) {
    console.error(
      'No PostgreSQL server: set BENCH_DATABASE_URL, or install one. What is measured is the embedded one, ' +
        'and what needs several processes is left out.',
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
