import { type Clock, SECOND, systemClock } from '#core/clock';
import { isInMemory } from '#database/embedded/data-directory';
import { PrismaClient } from '#generated/prisma/client';
import { checkWrite, openPool } from './pool.ts';
import { reach } from './session.ts';

const POOL_SIZE = 10;

// An embedded database has one session, so transactions queue: Prisma's default of 2 s is soon used up.
const TRANSACTION = { maxWait: 5 * SECOND, timeout: 10 * SECOND };

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/**
 * Opens the database and brings it up to this release's migrations.
 *
 * @param url a PostgreSQL server, `postgresql://…`; without it PostgreSQL runs embedded, in a thread of this process
 * @param dataDir where the embedded one is kept, made if need be and taken for this process alone;
 *   `memory://` keeps it nowhere, beginning with `loadDataDir`, a dumped data directory, if there is one
 * @param isShared whether a directory that another process has is reached through that process
 * @param poolSize connections at most
 * @param statementMs how long a statement may take on a server before it is ended; as long as it takes where left out
 * @param onEnd told when the thread of an embedded database has ended by itself; it is started again
 * @throws one Error fit to be shown, without a password: no connection, no writable directory, a failed
 *   migration; with code `DIRECTORY_IN_USE` when another process has the directory, `MALFORMED_URL`, or `UNREACHABLE`
 *   when the server is not there, or not yet
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
    /** Whether other processes may write to it. */
    isShareable: url !== undefined || !isInMemory(dataDir),
    /**
     * Rows of a statement, past Prisma: it keeps the text and arguments of its last hundred statements, which for one of
     * a megabyte a second is a hundred megabytes.
     */
    query: pool.query,
    /** Rejects when the database cannot be written to. */
    ready: () => checkWrite(prisma),
    /** Ends the connections, after the queries that run; the directory is free afterwards. May be called again. */
    close(): Promise<void> {
      closing ??= prisma.$disconnect().finally(pool.close).finally(close);
      return closing;
    },
  };
}
