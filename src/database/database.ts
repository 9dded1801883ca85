import { type Clock, SECOND, systemClock } from '#core/clock';
import { isInMemory } from '#database/embedded/data-directory';
import { PrismaClient } from '#generated/prisma/client';
import { checkWrite, openPool } from './pool.ts';
import { reach } from './session.ts';

const POOL_SIZE = 10;
// An embedded database has one session, so transactions queue longer than Prisma's default of 2 s.
const TRANSACTION = { maxWait: 5 * SECOND, timeout: 10 * SECOND };
export type Database = Awaited<ReturnType<typeof openDatabase>>;

/**
 * Opens the database and applies the migrations of this release.
 * @param url a PostgreSQL server, `postgresql://…`; without it PostgreSQL runs embedded, in a thread of this process
 * @param dataDir of the embedded database, created if missing and locked for this process; `memory://` stores nothing
 * and starts from `loadDataDir`, a dumped data directory, if given
 * @param isShared whether a directory in use is reached through the process that has it
 * @param poolSize maximum number of connections
 * @param statementMs statement timeout on a server; none if left out
 * @param onEnd called when the thread of an embedded database ends unexpectedly; it is restarted
 * @throws an Error without a password that can be displayed; its code is `DIRECTORY_IN_USE`, `MALFORMED_URL`, or
 * `UNREACHABLE` for a server that is not reachable (yet)
 */
export async function openDatabase(options: {
  url?: string | undefined;
  dataDir: string;
  clock?: Clock;
  poolSize?: number;
  isShared?: boolean | undefined;
  loadDataDir?: Blob;
  statementMs?: number | undefined;
  onEnd?: ((reason: string) => void) | undefined;
}) {
  const { url, clock = systemClock, poolSize = POOL_SIZE, statementMs, ...place } = options;
  const { dataDir } = place;
  const { config, guard, close } = await reach(url ? { url } : place);
  const name = url ? undefined : `the embedded database in ${dataDir}`;
  const pool = await openPool({ config, clock, poolSize, statementMs, name }).catch(async (error) => {
    await close().catch(() => {});
    throw error;
  });
  if (statementMs !== undefined) guard();
  const prisma = new PrismaClient({ adapter: pool.adapter, transactionOptions: TRANSACTION });
  let closing: Promise<void> | undefined;

  return {
    prisma,
    isShareable: url !== undefined || !isInMemory(dataDir),
    /** Bypasses Prisma, which keeps its last hundred statements: 100 MB for statements of one megabyte. */
    query: pool.query,
    /** Rejects when the database cannot be written to. */
    ready: () => checkWrite(prisma),
    /** Closes the connections after the running queries and releases the directory. May be called again. */
    close(): Promise<void> {
      closing ??= prisma.$disconnect().finally(pool.close).finally(close);
      return closing;
    },
  };
}
