import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toError } from '#core/errors';

const ROOT = 0;

/** The name of a system user, or `uid 1000` if the machine does not list the user. */
function userName(uid: number): string {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.split(':')[2] === String(uid));
    return line?.split(':')[0] || `uid ${uid}`;
  } catch {
    return `uid ${uid}`;
  }
}

const factsOf = (path: string) => statSync(path, { throwIfNoEntry: false });

/** The owner for an error message, or nothing if there is no such file or system user. */
export function ownerText(path: string, uid = process.geteuid?.()): string {
  try {
    const owner = statSync(path).uid;
    return uid === undefined || owner === uid ? '' : `; it belongs to ${userName(owner)}, not to ${userName(uid)}`;
  } catch {
    return '';
  }
}

/** Root passes every permission check, but the owner of the other files could not open the files that root creates. */
export function ownerFault(path: string, owner: number, uid: number): string | undefined {
  if (uid !== ROOT || owner === ROOT) return undefined;
  const name = userName(owner);
  const user = name.startsWith('uid ') ? `'#${owner}'` : name;
  return `${path} belongs to ${name}, but this process runs as root: run the command as ${name}, for example with \`sudo -u ${user}\``;
}

function accessFault(path: string, isDirectory: boolean, uid: number): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (isDirectory ? constants.X_OK : 0));
    return undefined;
  } catch (error) {
    const { code } = toError(error);
    if (code !== 'EACCES' && code !== 'EPERM') return undefined;
    const owner = ownerText(path, uid) || '; its permissions do not allow it';
    return `${path} cannot be read and written${owner}: correct its owner (chown) or its permissions (chmod)`;
  }
}

/**
 * Throws an Error with code `OTHER_OWNER` that names the first wrong file (see the README). Files may be deleted at the
 * same time. The owner of a directory without a database also counts, so that root creates no database there.
 */
export function assertOwnFiles(directory: string, database: string, uid = process.geteuid?.()): void {
  if (uid === undefined) return;
  const assertNone = (fault: string | undefined) => {
    if (fault !== undefined) throw Object.assign(new Error(fault), { code: 'OTHER_OWNER' as const });
  };
  function check(path: string): void {
    const stats = factsOf(path);
    if (!stats) return;
    assertNone(ownerFault(path, stats.uid, uid as number) ?? accessFault(path, stats.isDirectory(), uid as number));
    if (stats.isDirectory()) for (const name of readdirSync(path)) check(join(path, name));
  }
  const own = factsOf(directory);
  if (own && !factsOf(join(directory, database))) assertNone(ownerFault(directory, own.uid, uid));
  for (const name of ['lock', 'lock.pid', database]) check(join(directory, name));
}
