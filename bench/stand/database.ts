import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Creates a temporary database on a PostgreSQL server (`postgresql://…`). `drop` deletes it. */
export async function makeDatabase(server: string) {
  const name = `quotient_bench_${randomBytes(6).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => execute(server, `DROP DATABASE ${name} WITH (FORCE)`).then(() => undefined),
  };
}

export type TemporaryDatabase = Awaited<ReturnType<typeof makeDatabase>>;

/** Executes a statement and returns its rows. */
export async function execute<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
