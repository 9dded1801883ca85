import { type Clock, SECOND, systemClock } from '#core/clock';
import { isInMemory } from '#database/embedded/data-directory';
import { PrismaClient } from '#generated/prisma/client';
import type { EmbeddedPlace } from './embedded.ts';
import { openPool, type Patience } from './pool.ts';
import { reach } from './session.ts';
import { createWriteCheck } from './write-check.ts';

const POOL_SIZE = 10;
// An embedded database has one session, so a transaction may wait longer for it than Prisma's default of 2 s.
const TRANSACTION = { maxWait: 5 * SECOND, timeout: 10 * SECOND };
export type Database = Awaited<ReturnType<typeof openDatabase>>;

type Options = EmbeddedPlace & {
  /** A PostgreSQL server. If undefined, PostgreSQL runs embedded, in a thread of this process. */
  url?: string | undefined;
  clock?: Clock;
  poolSize?: number;
  /** The statement timeout on a server; none by default. */
  statementMs?: number | undefined;
  /** Awaited before a statement that did not reach the database is repeated, until `started` is called. */
  patience?: Patience | undefined;
};

/**
 * Opens the database and applies the migrations of this release. Throws an Error whose message can be displayed and
 * contains no password; its code is `DIRECTORY_IN_USE`, `MALFORMED_URL`, `UNSUITABLE` or, if a retry may succeed,
 * `UNREACHABLE`.
 */
export async function openDatabase(options: Options) {
  const { url, clock = systemClock, poolSize = POOL_SIZE, statementMs, patience, ...place } = options;
  const { dataDir } = place;
  const { config, guard, close } = await reach(url ? { url } : place);
  const name = url ? undefined : `the embedded database in ${dataDir}`;
  const pool = await openPool({ config, clock, poolSize, statementMs, name, patience }).catch(async (error) => {
    await close().catch(() => {});
    throw error;
  });
  if (statementMs !== undefined) guard();
  const prisma = new PrismaClient({ adapter: pool.adapter, transactionOptions: TRANSACTION });
  const writes = createWriteCheck(prisma, clock);
  pool.onError(writes.observe);
  let closing: Promise<void> | undefined;

  return {
    prisma,
    isShareable: url !== undefined || !isInMemory(dataDir),
    /** Bypasses Prisma, which would keep its last hundred statements of a megabyte each in memory. */
    query: pool.query,
    execute: pool.execute,
    /** Whether the server is the coordinator of a Citus cluster. */
    isDistributed: pool.isDistributed,
    waits: pool.waits,
    ready: writes.check,
    /** From now on, statements fail while the database is unreachable. */
    started: pool.started,
    /** Closes the connections after the running queries, then releases the directory. Can be called repeatedly. */
    close(): Promise<void> {
      closing ??= prisma.$disconnect().finally(pool.close).finally(close);
      return closing;
    },
  };
}
