import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Clock, SECOND } from '#core/clock';
import { toError } from '#core/errors';
import type { Prisma } from '#generated/prisma/client';
import { DatabaseClient, type Reach } from './connection/client.ts';
import { connectionFailure, DENIED, isPassing, isRejectedStartup, READ_ONLY } from './connection/unreachable.ts';
import type { Session } from './deadline.ts';
import { migrate } from './migrations.ts';

/** Resolves when the next attempt is due. Rejects if there is no next attempt. */
export type Patience = (error: Error) => Promise<void>;

type Options = {
  config: Reach;
  clock: Clock;
  poolSize: number;
  /** The statement timeout in ms; undefined for none. Migrations have no timeout. */
  statementMs: number | undefined;
  name?: string | undefined;
  patience?: Patience | undefined;
};

export async function openPool({ config, clock, poolSize, statementMs, name, patience }: Options) {
  await migrateThrough(config, clock, name);

  const pool = new pg.Pool({
    ...config,
    ...timeouts(config, statementMs),
    max: poolSize,
    Client: DatabaseClient as unknown as typeof pg.Client,
  });
  pool.on('release', endUnanswered);
  endDemoted(pool);
  let observeError: (code: string | undefined) => void = () => undefined;
  pool.on('connect', ({ connection }) => {
    connection.on('errorMessage', ({ code }: { code?: string }) => observeError(code));
  });
  // When a server stops, idle connections emit errors, and the pool replaces them. Prisma handles these errors only
  // while it is connected. Without this handler, an error would end the process.
  pool.on('error', () => {});
  const isDistributed = await connectOnce(pool, config, name);
  const waits = measureWaits(pool, clock);
  const started = patience ? awaitDatabase(pool, patience) : () => undefined;
  const query = async <Row>({ text, values }: Prisma.Sql): Promise<Row[]> =>
    (await pool.query(text, values)).rows as Row[];
  /** Returns the number of changed rows. */
  const execute = async ({ text, values }: Prisma.Sql): Promise<number> =>
    (await pool.query(text, values)).rowCount ?? 0;
  return {
    adapter: new PrismaPg(pool, config.schema === undefined ? {} : { schema: config.schema }),
    query,
    execute,
    isDistributed,
    waits,
    onError(observe: (code: string | undefined) => void): void {
      observeError = observe;
    },
    started,
    close: () => pool.end(),
  };
}

/** While the service starts, repeats statements that fail to reach the database, until the result is called. */
function awaitDatabase(pool: pg.Pool, untilNextAttempt: Patience): () => void {
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;

  async function queryRepeatedly(...args: unknown[]): Promise<unknown> {
    for (;;) {
      try {
        return await query(...args);
      } catch (error) {
        if (!isPassing(error)) throw error;
        await untilNextAttempt(toError(error));
      }
    }
  }

  Object.assign(pool, { query: queryRepeatedly });
  return () => void Object.assign(pool, { query });
}

/** The server cancels a slow statement. The longer `query_timeout` drops connections without any response. */
function timeouts({ parameters }: Reach, statementMs: number | undefined): pg.PoolConfig & Partial<Reach> {
  if (statementMs === undefined) return {};
  return {
    parameters: { ...parameters, statement_timeout: String(statementMs) },
    query_timeout: statementMs + SECOND,
  };
}

/** After a query timeout, `pg` returns a client to the pool although it still awaits a response. */
function endUnanswered(_error: Error | undefined, client: pg.PoolClient): void {
  if (!(client as { readyForQuery?: boolean }).readyForQuery) void (client as unknown as pg.Client).end();
}

// After a rejected write, older connections are closed on release: a demoted server may keep them (see the README).
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

/** Checks the pool's parameters, which differ from those of the migrations. Returns whether Citus is installed. */
async function connectOnce(pool: pg.Pool, config: Reach, name: string | undefined): Promise<boolean> {
  try {
    const { rows } = await pool.query<{ found: boolean }>(
      "SELECT to_regclass('pg_dist_partition') IS NOT NULL AS found",
    );
    return rows[0]?.found ?? false;
  } catch (cause) {
    await pool.end();
    throw cannotConnect(name ?? nameOf(new DatabaseClient(config)), cause);
  }
}

async function migrateThrough(config: Reach, clock: Clock, target: string | undefined) {
  const client = await connect(config, target);
  const name = target ?? nameOf(client);
  try {
    await migrate(sessionOn(client), { clock });
  } catch (error) {
    const lost = [error, toError(error).cause].find(isPassing);
    if (lost === undefined) throw cannotMigrate(name, toError(error));
    throw connectionFailure(`lost ${name}: ${toError(lost).message}`, lost);
  } finally {
    await client.end().catch(() => {});
  }
}

const nameOf = ({ hosts, host, port }: DatabaseClient) => `the database at ${hosts ?? `${host}:${port}`}`;

/** If a pooler rejects the startup options, tries again without them. */
export async function connect(config: Reach, name?: string): Promise<DatabaseClient> {
  const client = new DatabaseClient(config);
  try {
    await client.connect();
  } catch (cause) {
    if (isRejectedStartup(cause) && client.hadOptions) return connect(config, name);
    throw cannotConnect(name ?? nameOf(client), cause);
  }
  return client;
}

const REMEDIES: readonly [pattern: RegExp, remedy: string][] = [
  [/client password must be a/, 'the server requires a password: add it to the URL, or set PGPASSWORD'],
  [
    /CERT|SELF_SIGNED|^UNABLE_TO_/,
    'set the parameter sslrootcert to a file with the certificate of its authority, or sslmode to no-verify',
  ],
];

function cannotConnect(name: string, cause: unknown): Error {
  const { message, code } = toError(cause);
  if (code === 'UNSUITABLE') return cannotUse(name, toError(cause));
  const remedy = REMEDIES.find(([pattern]) => pattern.test(code ?? message))?.[1];
  // If a host name has several addresses, Node's error has only a code.
  const reason = [message || code, remedy].filter(Boolean).join(': ');
  return connectionFailure(`cannot connect to ${name}: ${reason}`, cause);
}

const cannotUse = (name: string, cause: Error, reason = cause.message) =>
  Object.assign(new Error(`cannot use ${name}: ${reason}`, { cause }), { code: 'UNSUITABLE' as const });

function cannotMigrate(name: string, error: Error): Error {
  const { code, message } = toError(error.cause ?? error);
  if (code === DENIED) return cannotUse(name, error, `${message}: make the role of the URL the owner of the database`);
  if (/statement pooling mode/.test(message)) return cannotUse(name, error, `${message}: set pool_mode to transaction`);
  if (code === READ_ONLY) return new Error(`cannot use ${name}: it is read-only (${message})`, { cause: error });
  return error;
}

export function sessionOn(client: pg.Client): Session {
  return {
    exec: (script) => client.query(script),
    query: <Row extends Record<string, unknown>>(statement: string, values?: unknown[]) =>
      client.query<Row>(statement, values),
  };
}
