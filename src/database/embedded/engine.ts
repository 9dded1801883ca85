import { PGlite } from '@electric-sql/pglite';
import { isInMemory } from './data-directory.ts';
import { unpackTemplate } from './template.ts';

/** What an operator can mend, by WASI's numbers and by Node's codes. */
const FILE_ERRORS: Record<number | string, string> = {
  2: 'no permission',
  51: 'no space left on the disk',
  69: 'the disk is read-only',
  ENOSPC: 'no space left on the disk',
};

/**
 * Of its files the engine keeps this much in memory of its own, which is never given back: PostgreSQL's 128 MB would be most
 * of what the process has, and the system keeps the files in memory too. After so much of its log it brings the files up to
 * date, which nothing else here does: the next start after a crash reads the log since then (a gigabyte by default).
 */
const SETTINGS = ['shared_buffers=16MB', 'max_wal_size=64MB', 'min_wal_size=32MB'];

/** Opens the engine. Throws an Error that says why it cannot be opened. */
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
