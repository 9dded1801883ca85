import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { toError } from '#core/errors';

/** A token, its file, and whether this call has created it. */
export type StoredToken = { token: string; path: string; isNew: boolean };

/** Reads the operator's token from `dataDir`, or creates it, readable only by its owner. Throws file system errors. */
export async function readOrCreateAdminToken(dataDir: string): Promise<StoredToken> {
  const path = resolve(join(dataDir, 'admin-token'));
  const token = randomBytes(24).toString('base64url');
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    // Processes with the same directory may start at the same time: one of them creates the file.
    await writeFile(path, `${token}\n`, { mode: 0o600, flag: 'wx', flush: true });
    return { token, path, isNew: true };
  } catch (error) {
    if (toError(error).code !== 'EEXIST') throw error;
    return { token: (await readFile(path, 'utf8')).trim(), path, isNew: false };
  }
}
