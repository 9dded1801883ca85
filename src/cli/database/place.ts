import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { wrongUsage } from '#cli/arguments';
import { POSTGRES } from '#database/embedded/data-directory';
import { type OpenSession, openSession, type Place } from '#database/session';
import { isDatabaseUnable } from '#database/unreachable';
import { EXIT, ExitError } from '#process/exit';
import type { Settings } from '#settings';

/** A server's URL or a directory, from the command line. Throws `ExitError`; the text, which may hold a password, is not repeated. */
export function placeOf(what: string, text: string): Place {
  if (/^postgres(?:ql)?:\/\//.test(text)) return { url: text };
  if (text === '' || /^[^/\\]*:\/\/|@/.test(text))
    throw wrongUsage(`${what} must be postgresql://user:password@host:port/database, or a directory`);
  return { dataDir: resolve(text) };
}

export const configuredPlace = ({ databaseUrl, dataDir }: Settings): Place =>
  databaseUrl === undefined ? { dataDir: resolve(dataDir) } : { url: databaseUrl };

export const isSamePlace = (one: Place, other: Place): boolean =>
  'url' in one ? 'url' in other && one.url === other.url : !('url' in other) && one.dataDir === other.dataDir;

/** Whether a directory holds an embedded database. */
export const holdsDatabase = (dataDir: string): boolean => existsSync(join(dataDir, POSTGRES, 'PG_VERSION'));

/** Opens one connection. Throws `ExitError`: whatever stands in the way is the operator's to know. */
export async function openPlace(what: string, place: Place): Promise<OpenSession> {
  try {
    return await openSession(place);
  } catch (error) {
    const { message, code, fault } = error as NodeJS.ErrnoException & { fault?: string };
    if (code === 'MALFORMED_URL') throw wrongUsage(`${what} ${fault}`);
    throw new ExitError(
      `${what}: ${message}`,
      code === 'DIRECTORY_IN_USE' ? EXIT.refused : EXIT.failed,
      error,
    );
  }
}

/** What a database said, or that it has gone, is one line; a fault of ours keeps its stack. */
export function databaseFault(error: unknown): unknown {
  const { severity, message } = Object(error) as { severity?: string; message?: string };
  if (severity === undefined && !isDatabaseUnable(error)) return error;
  return new ExitError(`the database failed: ${message}`, EXIT.failed, error);
}
