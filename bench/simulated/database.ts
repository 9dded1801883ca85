import { type Database, openDatabase } from '#database/database';
import { makeDatabase } from '../stand/database.ts';
import type { Environment } from '../stand/environment.ts';

/** Opens a database for a simulation: a temporary database on the server, or an embedded database in memory. */
export async function openBenchDatabase({ databaseServer }: Environment) {
  if (databaseServer === undefined) {
    return {
      open: (): Promise<Database> => openDatabase({ dataDir: 'memory://' }),
      drop: async () => undefined,
    };
  }
  const { url, drop } = await makeDatabase(databaseServer);
  return { open: (): Promise<Database> => openDatabase({ url, dataDir: 'unused', poolSize: 5 }), drop };
}
