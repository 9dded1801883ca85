import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type { Clock } from '#domain/clock';
import { lockDirectory } from './directory-lock.ts';
import { migrate } from './migrations.ts';

/** WASI's numbers for what an operator can mend. */
const FILE_ERRORS: Record<number, string> = {
  2: 'no permission',
  51: 'no space left on the disk',
  69: 'the disk is read-only',
};

/** PostgreSQL in this process, brought up to this release's migrations. Throws as `openDatabase` tells. */
export async function openEmbedded(dataDir: string, clock: Clock, loadDataDir?: Blob) {
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
    return takingTurns(await PGlite.create(at, loadDataDir && { loadDataDir }));
  } catch (cause) {
    // What WebAssembly throws is not always an Error: a failed file operation has a number alone.
    const { message, errno } = Object(cause) as { message?: string; errno?: number };
    const reason =
      message ?? (errno === undefined ? String(cause) : (FILE_ERRORS[errno] ?? `file error ${errno}`));
    throw new Error(`the embedded database in ${at} cannot be opened: ${reason}`, { cause });
  }
}

/**
 * Statements run on this thread and are awaited by nothing but promises: those that queue would run all at once, before
 * any connection is read. So each waits for a turn of the event loop.
 */
function takingTurns(postgres: PGlite): PGlite {
  const runExclusive = postgres._runExclusiveQuery.bind(postgres);
  postgres._runExclusiveQuery = (run) =>
    runExclusive(async () => {
      await nextTurn();
      return run();
    });
  return postgres;
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
