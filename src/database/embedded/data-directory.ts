import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { toError } from '#core/errors';
import { assertOwnFiles, ownerText } from './file-owner.ts';

export const POSTGRES = 'postgres';
export const isInMemory = (dataDir: string): boolean => dataDir.startsWith('memory://');
export const holdsDatabase = (dataDir: string): boolean => existsSync(join(dataDir, POSTGRES, 'PG_VERSION'));

/**
 * The codes of errors for a directory that another process uses or another user owns. The operator must change
 * something.
 */
export const DIRECTORY_REFUSALS: readonly string[] = ['DIRECTORY_IN_USE', 'OTHER_OWNER'];

/** Creates a missing directory. Throws an Error that can be displayed if the directory is not writable. */
export async function makeWritable(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (cause) {
    const { code, message } = toError(cause);
    const owner = code === 'EACCES' ? ownerText(directory) : '';
    throw new Error(`the data directory ${directory} cannot be created or written: ${code ?? message}${owner}`, {
      cause,
    });
  }
}

const SQLITE_BUSY = 5;
/** Keeps the locks from being garbage-collected, which would release them. */
const held = new Set<DatabaseSync>();

/**
 * Locks a directory until `release` or the end of the process (see the README). Throws with code `DIRECTORY_IN_USE` if
 * another process holds the lock, and with code `OTHER_OWNER` if the files belong to another user.
 */
export function lockDirectory(directory: string): { release(): void } {
  assertOwnFiles(directory, POSTGRES);
  const lock = takeLock(directory);
  held.add(lock);

  // This file is used only in the error message of a second process.
  const holder = join(directory, 'lock.pid');
  try {
    writeFileSync(holder, `${process.pid}\n`);
  } catch (cause) {
    letGo(lock);
    throw new Error(`the data directory ${directory} cannot be written: ${toError(cause).message}`, { cause });
  }

  return {
    release() {
      if (!held.has(lock)) return;
      rmSync(holder, { force: true }); // before the release: afterwards, the file could belong to the next holder
      letGo(lock);
    },
  };
}

function takeLock(directory: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    const file = join(directory, 'lock');
    lock = new DatabaseSync(file, { timeout: 0 });
    // SQLite opens a read-only file without a lock. Opening the file here would release this process's lock.
    accessSync(file, constants.W_OK);
    lock.exec('BEGIN IMMEDIATE');
    return lock;
  } catch (cause) {
    lock?.close();
    if (Object(cause).errcode === SQLITE_BUSY) throw directoryInUse(directory);
    throw new Error(`the data directory ${directory} cannot be locked: ${toError(cause).message}`, { cause });
  }
}

function letGo(lock: DatabaseSync) {
  held.delete(lock);
  lock.close();
}

function directoryInUse(directory: string) {
  const pid = recordedHolder(directory);
  const by = pid === undefined ? 'another process' : `process ${pid}`;
  const message = `the data directory ${directory} is in use by ${by}: stop the process, set another DATA_DIR, or set DATABASE_URL to share a database`;
  return Object.assign(new Error(message), { code: 'DIRECTORY_IN_USE' as const });
}

/** Returns undefined if the holder has taken the lock but has not recorded its process ID yet. */
function recordedHolder(directory: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(directory, 'lock.pid'), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
