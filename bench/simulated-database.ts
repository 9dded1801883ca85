import { type Database, openDatabase } from '#database/database';
import { makeDatabase } from './database.ts';
import type { Environment } from './environment.ts';

/** A database for a simulation: one of its own on the server, where there is one; else embedded, in memory. */
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
