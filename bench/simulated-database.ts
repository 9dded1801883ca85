import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../src/stores/database.ts';

/**
 * A database for a simulation: on the server of `BENCH_DATABASE_URL`, made and dropped, for several processes; else
 * embedded, in memory, for one.
 */
export async function openBenchDatabase(processes: number) {
  const admin = process.env.BENCH_DATABASE_URL;
  if (!admin) {
    if (processes > 1) throw new Error('several processes need a server: set BENCH_DATABASE_URL');
    return {
      open: (): Promise<Database> => openDatabase({ dataDir: 'memory://' }),
      drop: async () => undefined,
    };
  }
  const name = `quotient_bench_${randomBytes(6).toString('hex')}`;
  await execute(admin, `CREATE DATABASE ${name}`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return {
    open: (): Promise<Database> => openDatabase({ url: url.href, dataDir: 'unused', poolSize: 5 }),
    drop: () => execute(admin, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
