import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { iso, systemClock } from '#core/clock';
import { ArchiveFault } from '#database/archive';
import { writeBackup } from '#database/backup/backup';
import { restoreBackup } from '#database/backup/restore';
import { holdsDatabase } from '#database/embedded/data-directory';
import { EXIT, ExitError, interruption } from '#process/exit';
import { REFUSED } from '#process/open-database';
import { readSettings } from '#settings';
import { type Command, type Given, wrongUsage } from '../arguments.ts';
import { megabytes, number, say, withProgress } from '../output.ts';

function embeddedDirectory(): string {
  const { databaseUrl, dataDir } = readSettings();
  if (databaseUrl !== undefined)
    throw new ExitError(
      'this command works only with the embedded database: with DATABASE_URL, use pg_dump and pg_restore',
    );
  return resolve(dataDir);
}

/** Does not open the file, because a pipe can be opened only once. */
function assertReadable(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new ExitError(`${file} does not exist: check the path`);
  if (stats.isDirectory()) throw new ExitError(`${file} is a directory: specify a backup file`);
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new ExitError(`${file} cannot be read: change its permissions`, EXIT.refused, error);
  }
}

const OTHER_FILE = 'restore another backup';

function faultOf(file: string, error: unknown): unknown {
  const { code, syscall, message, path } = Object(error) as NodeJS.ErrnoException;
  if (error instanceof ArchiveFault) return new ExitError(`${file} ${message}: ${OTHER_FILE}`, EXIT.failed, error);
  if (/^Z_/.test(String(code)))
    return new ExitError(`${file} is truncated or damaged: ${OTHER_FILE}`, EXIT.failed, error);
  if (REFUSED.has(String(code))) return new ExitError(message, EXIT.refused, error);
  if (code === 'NOT_EMPTY') return new ExitError(`${message}; set DATA_DIR to an empty directory`, EXIT.refused, error);
  if (syscall !== undefined)
    return new ExitError(path === undefined ? `${file}: ${message}` : message, EXIT.failed, error);
  if (/cannot be (opened|written|created)/.test(message)) return new ExitError(message, EXIT.failed, error);
  return error;
}

/** The real path of the file to write. A rename to another path would replace a device, a pipe or a link by a file. */
function backupTarget(file: string, dataDir: string): string {
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new ExitError(`${folder} does not exist: create the directory first`);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats && !stats.isFile())
    throw new ExitError(
      `${file} is ${stats.isDirectory() ? 'a directory' : 'not a regular file'}: use the name of a file`,
    );
  const target = stats ? realpathSync(file) : join(realpathSync(folder), basename(file));
  if (!relative(realpathSync(dataDir), target).startsWith('..')) throw wrongUsage('<file> must be outside DATA_DIR');
  return target;
}

async function runBackup({ values: { file = '' } }: Given): Promise<void> {
  const dataDir = embeddedDirectory();
  if (!holdsDatabase(dataDir))
    throw new ExitError(`there is no database in ${dataDir}: set DATA_DIR to the directory of a database`);
  const target = backupTarget(file, dataDir);
  const { elapsed, now } = systemClock;
  const signal = interruption();
  try {
    const { size, waited } = await withProgress(
      () => `writing ${file}`,
      () => writeBackup(dataDir, target, { createdAt: iso(now()), elapsed, signal }),
    );
    say(`${file}: ${megabytes(size)}, from ${dataDir}; statements were blocked for ${number(Math.round(waited))} ms`);
  } catch (error) {
    if (signal.aborted) throw new ExitError('interrupted: no backup was written', signal.reason, error);
    throw faultOf(file, error);
  }
}

async function runRestore({ values: { file = '' } }: Given): Promise<void> {
  const dataDir = embeddedDirectory();
  try {
    assertReadable(file);
    const { createdAt, users } = await withProgress(
      () => `restoring ${file}`,
      () => restoreBackup(resolve(file), dataDir),
    );
    say(`${dataDir}: ${number(users)} users, as of ${createdAt}`);
  } catch (error) {
    throw faultOf(file, error);
  }
}

const NOT_A_SERVER = 'This command is for the embedded database in DATA_DIR. For a server, use pg_dump and pg_restore.';

export const backup: Command = {
  name: 'database backup',
  arguments: { file: 'the file to write' },
  help: `Writes the embedded database to a file, even while the service is running. A backup contains names, email addresses
and key hashes. ${NOT_A_SERVER}`,
  run: runBackup,
};

export const restore: Command = {
  name: 'database restore',
  arguments: { file: 'a file that `quotient database backup` has written' },
  help: `Writes a backup to an empty DATA_DIR. ${NOT_A_SERVER}`,
  run: runRestore,
};
