import { PGlite } from '@electric-sql/pglite';
import { isInMemory } from './data-directory.ts';
import { unpackTemplate } from './template.ts';

/** File errors that the operator can fix, by WASI error number and by Node error code. */
const FILE_ERRORS: Record<number | string, string> = {
  2: 'permission denied',
  51: 'no space left on the disk',
  69: 'the disk is read-only',
  ENOSPC: 'no space left on the disk',
};

/** PGlite never returns its memory; a start after a crash replays the log since the last checkpoint (see README). */
const SETTINGS = ['shared_buffers=16MB', 'max_wal_size=64MB', 'min_wal_size=32MB'];

export async function openEngine(at: string, loadDataDir: Blob | undefined): Promise<PGlite> {
  try {
    if (!isInMemory(at) && !loadDataDir) await unpackTemplate(at);
    const startParams = [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])];
    return await PGlite.create(at, { startParams, ...(loadDataDir && { loadDataDir }) });
  } catch (cause) {
    // For a failed file operation, WebAssembly throws only an error number.
    const { message, code, errno } = Object(cause) as { message?: string; code?: string; errno?: number };
    const known = FILE_ERRORS[code ?? ''] ?? FILE_ERRORS[errno ?? ''];
    const reason = known ?? message ?? (errno === undefined ? String(cause) : `file error ${errno}`);
    throw new Error(reason, { cause });
  }
}
