import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Clock, SECOND } from '#domain/clock';
import type { Prisma } from '#generated/prisma/client';
import { migrate, type Session } from './migrations.ts';
import { connectionFailure, isPassing } from './unreachable.ts';

const CONNECT_TIMEOUT = 5 * SECOND;

// No `@`, `/`, `?` or `#` but as a separator: with one of them unescaped in a password, part of the password
// would be taken for the host's name, and shown.
const SERVER_URL = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?[^@/?#]*(?:\/[^@?#]*)?(?:\?[^@#]*)?$/;

/**
 * Connections to a server, brought up to this release's migrations. Throws as `openDatabase` tells.
 * @param statementMs how long a statement may take, those of the migrations apart; as long as it takes where left out
 */
export async function openServer(url: string, poolSize: number, clock: Clock, statementMs?: number) {
  if (!SERVER_URL.test(url)) throw malformedUrl();
  const config = {
    connectionString: url,
    application_name: 'quotient',
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    keepAlive: true,
  };
  await migrateServer(config, clock);

  const pool = new pg.Pool({ ...config, ...settingsOfSession(statementMs), max: poolSize });
  pool.on('release', endUnanswered);
  // A server that goes away tells idle connections, which the pool then replaces. Prisma listens while it is
  // connected; before and after, an error unheard would end the process.
  pool.on('error', () => {});
  const query = async <Row>({ text, values }: Prisma.Sql): Promise<Row[]> =>
    (await pool.query(text, values)).rows as Row[];
  return { kind: 'server' as const, adapter: new PrismaPg(pool), query, close: () => pool.end() };
}

/**
 * Told with the connection and not by `SET`, which behind a pooler would be told to whoever has the session next.
 * Our statements take milliseconds: compiling the longest of them, as PostgreSQL would, takes a second (`jit`).
 * A statement that takes too long is ended by the server, so that it lets go of its locks. Where no answer comes at
 * all, its connection is given up a little later, so that those that hang do not use up the pool.
 */
function settingsOfSession(statementMs: number | undefined): pg.PoolConfig {
  if (statementMs === undefined) return { options: '-c jit=off' };
  return { options: `-c jit=off -c statement_timeout=${statementMs}`, query_timeout: statementMs + SECOND };
}

/**
 * A client of `pg` that has given up a statement in a transaction goes back to the pool as it is, still waiting for an
 * answer, and whoever had it next would wait with it.
 */
function endUnanswered(_error: Error | undefined, client: pg.PoolClient): void {
  if (!(client as { readyForQuery?: boolean }).readyForQuery) void (client as unknown as pg.Client).end();
}

async function migrateServer(config: pg.ClientConfig, clock: Clock) {
  let client: pg.Client;
  try {
    client = new pg.Client(config);
  } catch {
    throw malformedUrl(); // without the cause, which holds the URL
  }
  client.on('error', () => {}); // the query that runs rejects as well
  try {
    await client.connect();
  } catch (cause) {
    const { message, code } = cause as Error & { code?: string };
    // Of a name with several addresses Node tells the code alone.
    const reason = message || code;
    throw connectionFailure(
      `cannot connect to the database at ${client.host}:${client.port}: ${reason}`,
      cause,
    );
  }
  try {
    await migrate(sessionOn(client), { clock });
  } catch (error) {
    const lost = [error, (error as Error).cause].find(isPassing);
    if (lost === undefined) throw error;
    const { message } = lost as Error;
    throw connectionFailure(`lost the database at ${client.host}:${client.port}: ${message}`, lost);
  } finally {
    await client.end().catch(() => {});
  }
}

/** A connection to a server, as the migrations want it. */
export function sessionOn(client: pg.Client): Session {
  return {
    exec: (script) => client.query(script),
    query: <Row extends Record<string, unknown>>(statement: string, values?: unknown[]) =>
      client.query<Row>(statement, values),
  };
}

function malformedUrl() {
  const message =
    'DATABASE_URL is not of the form postgresql://user:password@host:port/database; special characters in it must ' +
    'be percent-encoded';
  return Object.assign(new Error(message), { code: 'MALFORMED_URL' });
}
