import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Clock, SECOND } from '#core/clock';
import type { Prisma } from '#generated/prisma/client';
import { migrate, type Session } from './migrations.ts';
import { connectionFailure, isPassing } from './unreachable.ts';

const CONNECT_TIMEOUT = 5 * SECOND;

/** What all connections have in common. */
export const COMMON: pg.ClientConfig = {
  application_name: 'quotient',
  connectionTimeoutMillis: CONNECT_TIMEOUT,
  keepAlive: true,
};

type Options = {
  config: pg.ClientConfig;
  clock: Clock;
  poolSize: number;
  /** How long a statement may take, those of the migrations apart; as long as it takes where left out. */
  statementMs: number | undefined;
  /** The database in an error's words; its host and port where left out. */
  name?: string;
};

/** Connections to a database that speaks PostgreSQL's protocol, brought up to this release's migrations. */
export async function openPool({ config, clock, poolSize, statementMs, name }: Options) {
  await migrateThrough(config, clock, name);

  const pool = new pg.Pool({ ...config, ...settingsOfSession(statementMs), max: poolSize });
  pool.on('release', endUnanswered);
  // A server that goes away tells idle connections, which the pool then replaces. Prisma listens while it is
  // connected; before and after, an error unheard would end the process.
  pool.on('error', () => {});
  const query = async <Row>({ text, values }: Prisma.Sql): Promise<Row[]> =>
    (await pool.query(text, values)).rows as Row[];
  return { adapter: new PrismaPg(pool), query, close: () => pool.end() };
}

/**
 * Told with the connection and not by `SET`, which behind a pooler would be told to whoever has the session next.
 * A statement that waited for a row must see its new version, which is what read committed means.
 * Our statements take milliseconds: compiling the longest of them, as PostgreSQL would, takes a second (`jit`).
 * A statement that takes too long is ended by the server, so that it lets go of its locks. Where no answer comes at
 * all, its connection is given up a little later, so that those that hang do not use up the pool.
 */
function settingsOfSession(statementMs: number | undefined): pg.PoolConfig {
  const options = '-c jit=off -c default_transaction_isolation=read\\ committed';
  if (statementMs === undefined) return { options };
  return { options: `${options} -c statement_timeout=${statementMs}`, query_timeout: statementMs + SECOND };
}

/**
 * A client of `pg` that has given up a statement in a transaction goes back to the pool as it is, still waiting for an
 * answer, and whoever had it next would wait with it.
 */
function endUnanswered(_error: Error | undefined, client: pg.PoolClient): void {
  if (!(client as { readyForQuery?: boolean }).readyForQuery) void (client as unknown as pg.Client).end();
}

async function migrateThrough(config: pg.ClientConfig, clock: Clock, given: string | undefined) {
  const client = await connect(config, given);
  const name = given ?? nameOf(client);
  try {
    await migrate(sessionOn(client), { clock });
  } catch (error) {
    const lost = [error, (error as Error).cause].find(isPassing);
    if (lost === undefined) throw error;
    const { message } = lost as Error;
    throw connectionFailure(`lost ${name}: ${message}`, lost);
  } finally {
    await client.end().catch(() => {});
  }
}

const nameOf = ({ host, port }: pg.Client) => `the database at ${host}:${port}`;

/** One connection. Throws an Error fit to be shown. */
export async function connect(config: pg.ClientConfig, name?: string): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on('error', () => {}); // the query that runs rejects as well
  try {
    await client.connect();
  } catch (cause) {
    const { message, code } = cause as Error & { code?: string };
    // Of a name with several addresses Node tells the code alone.
    throw connectionFailure(`cannot connect to ${name ?? nameOf(client)}: ${message || code}`, cause);
  }
  return client;
}

/** A connection to a server, as the migrations want it. */
export function sessionOn(client: pg.Client): Session {
  return {
    exec: (script) => client.query(script),
    query: <Row extends Record<string, unknown>>(statement: string, values?: unknown[]) =>
      client.query<Row>(statement, values),
  };
}
