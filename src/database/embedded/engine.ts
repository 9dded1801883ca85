import { PGlite } from '@electric-sql/pglite';
import { isInMemory } from './data-directory.ts';
import { unpackTemplate } from './template.ts';

/** File errors that the operator can fix, by WASI number and by Node code. */
const FILE_ERRORS: Record<number | string, string> = {
  2: 'no permission',
  51: 'no space left on the disk',
  69: 'the disk is read-only',
  ENOSPC: 'no space left on the disk',
};

/**
 * The engine keeps `shared_buffers` in memory for good: PostgreSQL's 128 MB would be most of the process, and the
 * system caches the files too. The engine checkpoints only after `max_wal_size` of log, which a start after a crash
 * replays (1 GB by default).
 */
const SETTINGS = ['shared_buffers=16MB', 'max_wal_size=64MB', 'min_wal_size=32MB'];

/** WebAssembly throws a failed file operation as a bare number. */
export async function openEngine(at: string, loadDataDir: Blob | undefined): Promise<PGlite> {
  try {
    if (!isInMemory(at) && !loadDataDir) await unpackTemplate(at);
    const startParams = [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])];
    return await PGlite.create(at, { startParams, ...(loadDataDir && { loadDataDir }) });
  } catch (cause) {
    // What WebAssembly throws is not always an Error: a failed file operation has a number alone.
    const { message, code, errno } = Object(cause) as { message?: string; code?: string; errno?: number };
    const known = FILE_ERRORS[code ?? ''] ?? FILE_ERRORS[errno ?? ''];
    const reason = known ?? message ?? (errno === undefined ? String(cause) : `file error ${errno}`);
    throw new Error(reason, { cause });
  }
}
