import { accessSync, constants, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Where the files of the embedded database are in its directory. */
export const POSTGRES = 'postgres';

/** Whether a data directory is none: what is in it is kept nowhere. */
export const isInMemory = (dataDir: string): boolean => dataDir.startsWith('memory://');

/** Makes a directory where there is none. Throws an Error fit to be shown where it cannot be written. */
export async function makeWritable(directory: string): Promise<void> {
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

const SQLITE_BUSY = 5;

/** Held for the life of the process: a lock that nothing refers to would be collected, and let go. */
const held = new Set<DatabaseSync>();

/**
 * Takes a directory for this process alone, until `release` or the end of the process, whatever ends it.
 *
 * The lock is the kernel's, on the file `lock` in the directory. Node has no call for it, but the SQLite that
 * comes with Node locks its files with `fcntl`: an open `BEGIN IMMEDIATE` is a write lock on one byte, which
 * the kernel gives to exactly one process and takes back when that process dies. So there is no stale lock to
 * recognise and none to take over, a reused process id means nothing, and two containers that share the
 * directory see each other. Nothing is ever written to the file. It must stay where it is: a lock is on the
 * file, so whoever deletes it lets a second process in.
 *
 * @param directory an existing directory that can be written to
 * @throws an Error with code `DIRECTORY_IN_USE` at once when another holder has it; another Error when the
 *   directory cannot hold a lock
 */
export function lockDirectory(directory: string): { release(): void } {
  const lock = takeLock(directory);
  held.add(lock);

  // Only for the message to whoever comes second; it decides nothing.
  const holder = join(directory, 'lock.pid');
  try {
    writeFileSync(holder, `${process.pid}\n`);
  } catch (cause) {
    letGo(lock);
    throw new Error(`the data directory ${directory} cannot be written: ${(cause as Error).message}`, {
      cause,
    });
  }

  return {
    release() {
      if (!held.has(lock)) return;
      rmSync(holder, { force: true }); // before the lock goes, or it would be the next holder's
      letGo(lock);
    },
  };
}

function takeLock(directory: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    const file = join(directory, 'lock');
    lock = new DatabaseSync(file, { timeout: 0 });
    // SQLite falls back to reading a file that it may not write, and then locks nothing. To ask is safe; to open
    // the file and close it again would undo a lock that this process has on it.
    accessSync(file, constants.W_OK);
    lock.exec('BEGIN IMMEDIATE');
    return lock;
  } catch (cause) {
    lock?.close();
    if ((cause as { errcode?: number }).errcode === SQLITE_BUSY) throw directoryInUse(directory);
    throw new Error(`the data directory ${directory} cannot be locked: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function letGo(lock: DatabaseSync) {
  held.delete(lock);
  lock.close();
}

function directoryInUse(directory: string) {
  const pid = recordedHolder(directory);
  const by = pid === undefined ? 'another process' : `process ${pid}`;
  const message = `the data directory ${directory} is in use by ${by}; stop it first, or set another DATA_DIR, or set DATABASE_URL to share a database`;
  return Object.assign(new Error(message), { code: 'DIRECTORY_IN_USE' as const });
}

/** Undefined in the moment between a holder's lock and its note. */
function recordedHolder(directory: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(directory, 'lock.pid'), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
