import { PGlite } from '@electric-sql/pglite';

/** WASI's numbers for what an operator can mend. */
const FILE_ERRORS: Record<number, string> = {
  2: 'no permission',
  51: 'no space left on the disk',
  69: 'the disk is read-only',
};

/**
 * The engine keeps this much of its files in memory of its own, which is never given back; PostgreSQL's 128 MB would be
 * most of what the process has, and the system keeps the files in memory too.
 */
const SHARED_BUFFERS = '16MB';

/** Opens the engine. Throws an Error that says why it cannot be opened. */
export async function openEngine(at: string, loadDataDir: Blob | undefined): Promise<PGlite> {
  try {
    const startParams = [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`];
    return await PGlite.create(at, { startParams, ...(loadDataDir && { loadDataDir }) });
  } catch (cause) {
    // What WebAssembly throws is not always an Error: a failed file operation has a number alone.
    const { message, errno } = Object(cause) as { message?: string; errno?: number };
    const reason =
      message ?? (errno === undefined ? String(cause) : (FILE_ERRORS[errno] ?? `file error ${errno}`));
    throw new Error(reason, { cause });
  }
}
