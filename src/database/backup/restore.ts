import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toError } from '#core/errors';
import { ArchiveFault, unpackArchive } from '#database/archive';
import { lockDirectory, POSTGRES } from '#database/embedded/data-directory';
import { openSession } from '#database/session';

/** The directory in which a backup is unpacked and tested. It remains there if a restore is interrupted. */
const TRIAL = '.restoring';
/** A directory that contains only lock files and the admin token has never held a database. */
const isNothing = (name: string) => name === TRIAL || name === 'admin-token' || /^lock([.-].*)?$/.test(name);

/** Opens the unpacked database. Throws if the log is broken or the database belongs to another application. */
async function tryOut(dataDir: string): Promise<{ users: number }> {
  const { session, close } = await openSession({ dataDir });
  try {
    const { rows } = await session.query<{ users: number }>('SELECT count(*)::float8 AS users FROM "user"');
    return { users: rows[0]?.users ?? 0 };
  } finally {
    await close();
  }
}

/** Restores into an empty or missing directory. Throws `ArchiveFault`, `DIRECTORY_IN_USE` or `NOT_EMPTY`. */
export async function restoreBackup(file: string, dataDir: string) {
  const created = await mkdir(dataDir, { recursive: true });
  const trial = join(dataDir, TRIAL);
  let lock: ReturnType<typeof lockDirectory> | undefined;
  let isRestored = false;
  try {
    lock = lockDirectory(dataDir);
    const other = (await readdir(dataDir)).find((name) => !isNothing(name));
    if (other !== undefined)
      throw Object.assign(new Error(`${dataDir} is not empty: it contains ${other}`), { code: 'NOT_EMPTY' });
    await rm(trial, { recursive: true, force: true });
    const createdAt = await unpackArchive(file, join(trial, POSTGRES), true);
    const { users } = await tryOut(trial).catch((cause) => {
      // The cause may also be a full disk, even if the unpacked files are sound.
      const { message } = toError(cause);
      if (/no space left|ENOSPC/.test(message)) throw cause;
      throw new ArchiveFault(
        `contains a database that cannot be opened (${message.replace(/^.*cannot be opened: /, '')})`,
      );
    });
    await rename(join(trial, POSTGRES), join(dataDir, POSTGRES));
    isRestored = true;
    return { createdAt, users };
  } finally {
    if (lock) await rm(trial, { recursive: true, force: true });
    lock?.release();
    if (created !== undefined && !isRestored) await rm(created, { recursive: true, force: true });
  }
}
