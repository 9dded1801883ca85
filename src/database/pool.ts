import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Clock, SECOND } from '#core/clock';
import type { Prisma, PrismaClient } from '#generated/prisma/client';
import type { Session } from './deadline.ts';
import { migrate } from './migrations.ts';
import { connectionFailure, isPassing, READ_ONLY, remedyOf } from './unreachable.ts';

const CONNECT_TIMEOUT = 5 * SECOND;

/** What all connections have in common. */
export const COMMON: pg.ClientConfig = {
  application_name: 'quotient',
  connectionTimeoutMillis: CONNECT_TIMEOUT,
  keepAlive: true,
};

/** How a client reaches a database; `Client` is the class of clients that search their host, where there are several. */
export type Reach = pg.ClientConfig & { Client?: typeof pg.Client };

type Options = {
  config: Reach;
  clock: Clock;
  poolSize: number;
  /** How long a statement may take, those of the migrations apart; as long as it takes where left out. */
  statementMs: number | undefined;
  /** The database in an error's words; its host and port where left out. */
  name?: string | undefined;
};

/** Connections to a database that speaks PostgreSQL's protocol, brought up to this release's migrations. */
export async function openPool({ config, clock, poolSize, statementMs, name }: Options) {
  await migrateThrough(config, clock, name);

  const pool = new pg.Pool({ ...config, ...settingsOfSession(statementMs), max: poolSize });
  pool.on('release', endUnanswered);
  endDemoted(pool);
  // A server that goes away tells idle connections, which the pool then replaces. Prisma listens while it is
  // connected; before and after, an error unheard would end the process.
  pool.on('error', () => {});
  await connectOnce(pool, config, name);
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

/**
 * A server that was made read-only may keep its connections. One of them that is refused a write ends all that were opened
 * before it, each as it goes back to the pool: those that take their place reach the server that is the primary now.
 */
function endDemoted(pool: pg.Pool): void {
  let demotions = 0;
  const openedAfter = new WeakMap<pg.Client, number>();
  pool.on('connect', (client) => {
    openedAfter.set(client, demotions);
    client.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY && openedAfter.get(client) === demotions) demotions += 1;
    });
  });
  pool.on('release', (_error, client) => {
    if (openedAfter.get(client) !== demotions) void client.end();
  });
}

/** A pooler may accept the connection of the migrations and reject those of the pool, which have parameters. */
async function connectOnce(pool: pg.Pool, config: Reach, name: string | undefined): Promise<void> {
  try {
    (await pool.connect()).release();
  } catch (cause) {
    await pool.end();
    throw cannotConnect(name ?? nameOf(clientOf(config)), cause);
  }
}

async function migrateThrough(config: Reach, clock: Clock, given: string | undefined) {
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

const clientOf = (config: Reach) => new (config.Client ?? pg.Client)(config);

const nameOf = ({ hosts, host, port }: pg.Client & { hosts?: string }) =>
  `the database at ${hosts ?? `${host}:${port}`}`;

/** One connection. Throws an Error fit to be shown. */
export async function connect(config: Reach, name?: string): Promise<pg.Client> {
  const client = clientOf(config);
  client.on('error', () => {}); // the query that runs rejects as well
  try {
    await client.connect();
  } catch (cause) {
    throw cannotConnect(name ?? nameOf(client), cause);
  }
  return client;
}

function cannotConnect(name: string, cause: unknown): Error {
  const { message, code } = cause as Error & { code?: string };
  // For a name with several addresses, Node's error has only a code.
  return connectionFailure(`cannot connect to ${name}: ${message || code}${remedyOf(cause)}`, cause);
}

/** A connection to a server, as the migrations want it. */
export function sessionOn(client: pg.Client): Session {
  return {
    exec: (script) => client.query(script),
    query: <Row extends Record<string, unknown>>(statement: string, values?: unknown[]) =>
      client.query<Row>(statement, values),
  };
}

/**
 * Finds out whether the database can be written to: one transaction, durable like any other, inserts a row and deletes
 * it again. Rejects with what the database said.
 */
export async function checkWrite(prisma: PrismaClient): Promise<void> {
  const what = `check:${randomUUID()}`;
  await prisma.$transaction([
    prisma.$executeRaw`INSERT INTO refresh (what) VALUES (${what})`,
    prisma.$executeRaw`DELETE FROM refresh WHERE what = ${what}`,
  ]);
}
