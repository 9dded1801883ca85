import { distribute } from '#database/distribute';
import { openSession } from '#database/session';
import { type PostgresServer, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { connectTo } from '../support/database/client.ts';

const SETTINGS = {
  shared_preload_libraries: 'citus',
  max_prepared_transactions: '200',
  // Until then, transactions that a killed worker had prepared lock their rows.
  'citus.recover_2pc_interval': '1s',
  fsync: 'off',
};
const WORKERS = 2;

const onServer = async ({ url }: PostgresServer, ...statements: string[]): Promise<void> => {
  const client = await connectTo(url);
  for (const statement of statements) await client.query(statement);
  await client.end();
};

/** Starts a coordinator and two workers, on which a migrated database is distributed. `close` deletes them. */
export async function startCluster() {
  const servers = await Promise.all(Array.from({ length: 1 + WORKERS }, () => startPostgresServer([], SETTINGS)));
  const [coordinator, ...workers] = servers as [PostgresServer, ...PostgresServer[]];
  for (const server of servers) await onServer(server, 'CREATE EXTENSION citus');
  await onServer(
    coordinator,
    `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...workers.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
  );
  const { session, close } = await openSession({ url: coordinator.url });
  await distribute(session);
  await close();
  return {
    url: coordinator.url,
    workers,
    async close(): Promise<void> {
      for (const server of servers) await server.close();
    },
  };
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;
