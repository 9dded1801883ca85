import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type { Clock } from '../domain/clock.ts';
import { SECOND, systemClock } from '../domain/clock.ts';
import { type Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { lockDirectory } from './directory-lock.ts';
import { migrate, type Session } from './migrations.ts';
import { connectionFailure, isPassing } from './unreachable.ts';

const POOL_SIZE = 10;
const CONNECT_TIMEOUT = 5 * SECOND;

// An embedded database has one session, so transactions queue: Prisma's default of 2 s is soon used up.
const TRANSACTION = { maxWait: 5 * SECOND, timeout: 10 * SECOND };

// No `@`, `/`, `?` or `#` but as a separator: with one of them unescaped in a password, part of the password
// would be taken for the host's name, and shown.
const SERVER_URL = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?[^@/?#]*(?:\/[^@?#]*)?(?:\?[^@#]*)?$/;

/** Gives the rows of a statement. */
export type Query = <Row>(sql: Prisma.Sql) => Promise<Row[]>;

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/**
 * Opens the database and brings it up to this release's migrations.
 *
 * @param url a PostgreSQL server, `postgresql://…`; without it PostgreSQL runs embedded, in this process
 * @param dataDir where the embedded one is kept, made if need be and taken for this process alone;
 *   `memory://` keeps it nowhere, beginning with `loadDataDir`, a dumped data directory, if there is one
 * @param poolSize connections to a server at most
 * @throws one Error fit to be shown, without a password: no connection, no writable directory, a failed
 *   migration; with code `DIRECTORY_IN_USE` when another process has the directory, `MALFORMED_URL`, or `UNREACHABLE`
 *   when the server is not there, or not yet
 */
export async function openDatabase(options: {
  url?: string | undefined;
  dataDir: string;
  clock?: Clock;
  poolSize?: number;
  loadDataDir?: Blob;
}) {
  const { url, dataDir, clock = systemClock, poolSize = POOL_SIZE, loadDataDir } = options;
  const opened = url
    ? await openServer(url, poolSize, clock)
    : await openEmbedded(dataDir, clock, loadDataDir);
  const prisma = new PrismaClient({ adapter: opened.adapter, transactionOptions: TRANSACTION });
  let closing: Promise<void> | undefined;

  return {
    prisma,
    kind: opened.kind,
    /**
     * Rows of a statement, past Prisma where there is a server: Prisma keeps the text and arguments of its last
     * hundred statements, which for one of a megabyte a second is a hundred megabytes.
     */
    query: opened.query ?? (<Row>(sql: Prisma.Sql) => prisma.$queryRaw<Row[]>(sql)),
    /** Rejects when the database cannot be reached. */
    async ready(): Promise<void> {
      await prisma.$queryRaw`SELECT 1`;
    },
    /** Ends the connections, after the queries that run; the directory is free afterwards. May be called again. */
    close(): Promise<void> {
      closing ??= prisma.$disconnect().finally(opened.close);
      return closing;
    },
  };
}

async function openServer(url: string, poolSize: number, clock: Clock) {
  if (!SERVER_URL.test(url)) throw malformedUrl();
  const config = {
    connectionString: url,
    application_name: 'quotient',
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    keepAlive: true,
  };
  await migrateServer(config, clock);

  const pool = new pg.Pool({ ...config, max: poolSize, onConnect: prepareConnection });
  // A server that goes away tells idle connections, which the pool then replaces. Prisma listens while it is
  // connected; before and after, an error unheard would end the process.
  pool.on('error', () => {});
  const query: Query = async ({ text, values }) => (await pool.query(text, values)).rows;
  return { kind: 'server' as const, adapter: new PrismaPg(pool), query, close: () => pool.end() };
}

/** Our statements take milliseconds: compiling the longest of them, as PostgreSQL would, takes a second. */
async function prepareConnection(client: pg.ClientBase): Promise<void> {
  await client.query('SET jit = off');
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

async function openEmbedded(dataDir: string, clock: Clock, loadDataDir?: Blob) {
  const inMemory = dataDir.startsWith('memory://');
  if (!inMemory) await makeWritable(dataDir);
  const lock = inMemory ? undefined : lockDirectory(dataDir);
  let postgres: PGlite | undefined;
  const close = async () => {
    try {
      await postgres?.close();
    } finally {
      lock?.release();
    }
  };

  try {
    const at = inMemory ? dataDir : join(dataDir, 'postgres');
    postgres = await startPostgres(at, loadDataDir);
    await migrate(postgres, { clock });
    return { kind: 'embedded' as const, adapter: new PrismaPGlite(postgres), query: undefined, close };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

async function startPostgres(at: string, loadDataDir?: Blob) {
  try {
    return await PGlite.create(at, loadDataDir && { loadDataDir });
  } catch (cause) {
    // What WebAssembly throws is not always an Error: a failed file operation has a number alone.
    const { message, errno } = Object(cause) as { message?: string; errno?: number };
    const reason = message ?? (errno === undefined ? String(cause) : `file error ${errno}`);
    throw new Error(`the embedded database in ${at} cannot be opened: ${reason}`, { cause });
  }
}

async function makeWritable(directory: string) {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string };
    throw new Error(`the data directory ${directory} cannot be created or written: ${code ?? message}`, {
      cause,
    });
  }
}

function malformedUrl() {
  const message =
    'DATABASE_URL is not of the form postgresql://user:password@host:port/database; special characters in it must ' +
    'be percent-encoded';
  return Object.assign(new Error(message), { code: 'MALFORMED_URL' });
}
