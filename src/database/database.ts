import { type Clock, SECOND, systemClock } from '#core/clock';
import { isInMemory } from '#database/embedded/data-directory';
import { PrismaClient } from '#generated/prisma/client';
import { checkWrite, openPool } from './pool.ts';
import { reach } from './session.ts';

const POOL_SIZE = 10;
// An embedded database has one session, so a transaction may wait longer for it than Prisma's default of 2 s.
const TRANSACTION = { maxWait: 5 * SECOND, timeout: 10 * SECOND };
export type Database = Awaited<ReturnType<typeof openDatabase>>;

/**
 * Opens the database and applies the migrations of this release.
 * @param url a PostgreSQL server, `postgresql://…`; if undefined, PostgreSQL runs embedded, in a thread of this process
 * @param dataDir the embedded database's directory, created if missing and locked for this process; `memory://` stores
 * nothing and starts from `loadDataDir`, a dumped data directory, if given
 * @param isShared whether to connect through another process that uses the directory
 * @param poolSize the maximum number of connections
 * @param statementMs the statement timeout on a server; none by default
 * @param onEnd called when the embedded database's thread ends unexpectedly; the thread is restarted
 * @throws an Error whose message can be displayed and contains no password; its code is `DIRECTORY_IN_USE`,
 * `MALFORMED_URL` or, if a retry may succeed, `UNREACHABLE`
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
    /** Bypasses Prisma, which caches its last hundred statements: at one megabyte each, 100 MB. */
    query: pool.query,
    waits: pool.waits,
    ready: () => checkWrite(prisma),
    /** Closes the connections when the running queries end, then releases the directory. Repeatable. */
    close(): Promise<void> {
      closing ??= prisma.$disconnect().finally(pool.close).finally(close);
      return closing;
    },
  };
}
