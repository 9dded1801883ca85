import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { command, wrongUsage } from '#cli/arguments';
import { iso, systemClock } from '#core/clock';
import { writeBackup } from '#database/backup/backup';
import { restoreBackup } from '#database/backup/restore';
import { ArchiveFault } from '#database/backup/tar';
import { POSTGRES } from '#database/embedded/data-directory';
import { type OpenSession, openSession, type Place } from '#database/session';
import { isDatabaseUnable } from '#database/unreachable';
import { EXIT, ExitError } from '#process/exit';
import { readSettings, type Settings } from '#settings';

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

export const backupUsage = `  npm run database -- backup <file>
  npm run database -- restore <file>

    Writes the embedded database in DATA_DIR into a file, also while the service runs; makes it from such a file, in a
    DATA_DIR that is empty. A backup holds names, e-mail addresses and hashes of keys.
`;

const form = { positionals: ['file'] };

function embeddedDirectory(): string {
  const { databaseUrl, dataDir } = readSettings();
  if (databaseUrl !== undefined)
    throw new ExitError('this is for the embedded database: with DATABASE_URL, use pg_dump and pg_restore');
  return resolve(dataDir);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

const OTHER_FILE = 'restore another backup';

/** Reports every fault of a file, a directory or a database in one line. */
function faultOf(file: string, error: unknown): unknown {
  const { code, syscall, message } = Object(error) as NodeJS.ErrnoException;
  if (error instanceof ArchiveFault)
    return new ExitError(`${file} ${message}: ${OTHER_FILE}`, EXIT.failed, error);
  if (/^Z_/.test(String(code)))
    return new ExitError(`${file} is cut short or damaged: ${OTHER_FILE}`, EXIT.failed, error);
  if (code === 'DIRECTORY_IN_USE') return new ExitError(message, EXIT.refused, error);
  if (code === 'NOT_EMPTY')
    return new ExitError(`${message}; set DATA_DIR to an empty directory`, EXIT.refused, error);
  if (syscall !== undefined || /cannot be (opened|written|created)/.test(message))
    return new ExitError(message, EXIT.failed, error);
  return databaseFault(error);
}

/** `database backup <file>` */
export const runBackup = command(form, async ({ positionals: [file = ''] }) => {
  const dataDir = embeddedDirectory();
  if (!holdsDatabase(dataDir))
    throw new ExitError(`there is no database in ${dataDir}: set DATA_DIR to the directory of a database`);
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new ExitError(`${folder} does not exist: make this directory first`);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new ExitError(`${file} is a directory: give the name of a file`);
  if (!relative(dataDir, resolve(file)).startsWith('..'))
    throw wrongUsage('<file> must not be in DATA_DIR, which it is a backup of');
  const { elapsed, now } = systemClock;
  try {
    const { size, waited } = await writeBackup(dataDir, resolve(file), { createdAt: iso(now()), elapsed });
    process.stdout.write(
      `${file}: ${megabytes(size)}, from ${dataDir}; the database stood still for ${Math.round(waited)} ms\n`,
    );
  } catch (error) {
    throw faultOf(file, error);
  }
});

/** `database restore <file>` */
export const runRestore = command(form, async ({ positionals: [file = ''] }) => {
  const dataDir = embeddedDirectory();
  if (!existsSync(file)) throw new ExitError(`${file} does not exist: check the path`);
  try {
    const { createdAt, users } = await restoreBackup(resolve(file), dataDir);
    process.stdout.write(`${dataDir}: ${users} users, as of ${createdAt}\n`);
  } catch (error) {
    throw faultOf(file, error);
  }
});
