import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Clock, SECOND } from '#core/clock';
import type { Prisma, PrismaClient } from '#generated/prisma/client';
import type { Session } from './deadline.ts';
import { migrate } from './migrations.ts';
import { connectionFailure, isPassing, READ_ONLY, remedyOf } from './unreachable.ts';

const CONNECT_TIMEOUT = 5 * SECOND;

export const COMMON: pg.ClientConfig = {
  application_name: 'quotient',
  connectionTimeoutMillis: CONNECT_TIMEOUT,
  keepAlive: true,
};

/** `Client` is set if the URL has several hosts to search. */
export type Reach = pg.ClientConfig & { Client?: typeof pg.Client };

type Options = {
  config: Reach;
  clock: Clock;
  poolSize: number;
  /** The statement timeout in ms; undefined for none. Migrations have no timeout. */
  statementMs: number | undefined;
  /** The database's name in errors. The default is its host and port. */
  name?: string | undefined;
};

export async function openPool({ config, clock, poolSize, statementMs, name }: Options) {
  await migrateThrough(config, clock, name);

  const pool = new pg.Pool({ ...config, ...settingsOfSession(statementMs), max: poolSize });
  pool.on('release', endUnanswered);
  endDemoted(pool);
  // When a server stops, idle connections emit errors, and the pool replaces them. Prisma handles these errors only
  // while it is connected. Without this handler, an error would end the process.
  pool.on('error', () => {});
  await connectOnce(pool, config, name);
  const waits = measureWaits(pool, clock);
  const query = async <Row>({ text, values }: Prisma.Sql): Promise<Row[]> =>
    (await pool.query(text, values)).rows as Row[];
  return { adapter: new PrismaPg(pool), query, waits, close: () => pool.end() };
}

// Parameters are set when connecting, because behind a pooler `SET` would also apply to the next user of the session.
// `read committed`: a statement that waited for a row must see the row's new version. `jit` is off: statements take
// milliseconds, but compiling the longest one takes a second. `statement_timeout` makes the server release the locks of
// a slow statement. The slightly longer `query_timeout` drops connections without any response, so that they do not
// exhaust the pool.
function settingsOfSession(statementMs: number | undefined): pg.PoolConfig {
  const options = '-c jit=off -c default_transaction_isolation=read\\ committed';
  if (statementMs === undefined) return { options };
  return { options: `${options} -c statement_timeout=${statementMs}`, query_timeout: statementMs + SECOND };
}

/** After a query timeout, `pg` pools a client that still awaits a response. The client's next user would wait too. */
function endUnanswered(_error: Error | undefined, client: pg.PoolClient): void {
  if (!(client as { readyForQuery?: boolean }).readyForQuery) void (client as unknown as pg.Client).end();
}

// A server that becomes read-only may keep its connections. After a rejected write, all older connections are closed on
// release. The connections that replace them reach the new primary.
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

type Connect = (callback?: (...result: unknown[]) => void) => Promise<unknown> | undefined;
export type PoolWaits = ReturnType<typeof measureWaits>;

/** Measures how many callers wait for a connection, and how long, once `observe` is called. */
function measureWaits(pool: pg.Pool, clock: Clock) {
  let observe: ((ms: number) => void) | undefined;
  const connect = pool.connect.bind(pool) as unknown as Connect;
  const connectMeasured: Connect = (callback) => {
    if (!observe) return connect(callback);
    const startedAt = clock.elapsed();
    const done = () => observe?.(clock.elapsed() - startedAt);
    if (!callback) return connect()?.finally(done);
    return connect((...result) => {
      done();
      callback(...result);
    });
  };
  pool.connect = connectMeasured as unknown as pg.Pool['connect'];
  return {
    waiting: (): number => pool.waitingCount,
    observe(observer: (ms: number) => void): void {
      observe = observer;
    },
  };
}

/** A pooler may accept the migrations' connection but reject the pool's connections, because they have parameters. */
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

export async function connect(config: Reach, name?: string): Promise<pg.Client> {
  const client = clientOf(config);
  client.on('error', () => {}); // the running query is rejected too
  try {
    await client.connect();
  } catch (cause) {
    throw cannotConnect(name ?? nameOf(client), cause);
  }
  return client;
}

function cannotConnect(name: string, cause: unknown): Error {
  const { message, code } = cause as Error & { code?: string };
  // If a host name has several addresses, Node's error has only a code.
  return connectionFailure(`cannot connect to ${name}: ${message || code}${remedyOf(cause)}`, cause);
}

export function sessionOn(client: pg.Client): Session {
  return {
    exec: (script) => client.query(script),
    query: <Row extends Record<string, unknown>>(statement: string, values?: unknown[]) =>
      client.query<Row>(statement, values),
  };
}

/** Runs a durable transaction. Rejects with the database's error. */
export async function checkWrite(prisma: PrismaClient): Promise<void> {
  const what = `check:${randomUUID()}`;
  await prisma.$transaction([
    prisma.$executeRaw`INSERT INTO refresh (what) VALUES (${what})`,
    prisma.$executeRaw`DELETE FROM refresh WHERE what = ${what}`,
  ]);
}
