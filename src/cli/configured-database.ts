import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { createAccountStore } from '#accounts/users/account-store';
import { createCatalogue } from '#catalogue/catalogue';
import type { Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { iso, systemClock } from '#core/clock';
import { writeBackup } from '#database/backup/backup';
import { restoreBackup } from '#database/backup/restore';
import { ArchiveFault } from '#database/backup/tar';
import type { Database } from '#database/database';
import { POSTGRES } from '#database/embedded/data-directory';
import { parseServerUrl } from '#database/hosts';
import { type OpenSession, openSession, type Place } from '#database/session';
import { isDatabaseUnable } from '#database/unreachable';
import { EXIT, ExitError, isUnreachable, openConfiguredDatabase } from '#process/exit';
import { readSettings, type Settings } from '#settings';
import { command, wrongUsage } from './arguments.ts';

/** Connects through the service if it runs on the embedded database. If the database has no users, prints its place. */
export async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const settings = readSettings();
  const database = await openConfiguredDatabase(settings, { isShared: true }).catch((error) => {
    if (settings.databaseUrl === undefined || !isUnreachable(error)) throw error;
    throw new ExitError(`${error.message}: start the server, or correct DATABASE_URL`, error.exitCode, error);
  });
  try {
    const hasUsers = await createAccountStore(database.prisma).hasUsers();
    if (!hasUsers) process.stderr.write(`${emptinessOf(settings)}\n`);
    return await work(database);
  } finally {
    await database.close();
  }
}

const emptinessOf = ({ databaseUrl, dataDir }: Settings) =>
  databaseUrl === undefined
    ? `The embedded database in ${resolve(dataDir)} has no users. To use another database, set DATA_DIR or DATABASE_URL.`
    : `The database at ${configuredDatabasePlaceOf(databaseUrl)} has no users. To use another database, set DATABASE_URL.`;

function configuredDatabasePlaceOf(databaseUrl: string): string {
  const { hosts } = parseServerUrl(databaseUrl);
  const { pathname } = new URL(hosts[0]?.url ?? databaseUrl);
  return hosts.map(({ name }) => name).join() + pathname;
}

/** Finds a served token by name or symbol. Otherwise, throws `UsageError` with similar names. */
export async function servedToken(prisma: Database['prisma'], text: string): Promise<Token> {
  const catalogue = createCatalogue(await createTokenStore(prisma).all());
  const token = catalogue.find(text);
  if (token) return token;
  const near = catalogue.nearest(text).map(({ name }) => name);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : '`npm run tokens -- list` lists all tokens';
  throw wrongUsage(`unknown token: ${hint}`);
}

/** Throws `UsageError`, which does not repeat the text: it may contain a password. */
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

export const holdsDatabase = (dataDir: string): boolean => existsSync(join(dataDir, POSTGRES, 'PG_VERSION'));

export async function openPlace(what: string, place: Place): Promise<OpenSession> {
  try {
    return await openSession(place);
  } catch (error) {
    const { message, code, fault } = error as NodeJS.ErrnoException & { fault?: string };
    if (code === 'MALFORMED_URL') throw wrongUsage(`${what} ${fault}`);
    throw new ExitError(`${what}: ${message}`, code === 'DIRECTORY_IN_USE' ? EXIT.refused : EXIT.failed, error);
  }
}

/** Reduces a database error to one line. A bug keeps its stack trace. */
export function databaseFault(error: unknown): unknown {
  const { severity, message } = Object(error) as { severity?: string; message?: string };
  if (severity === undefined && !isDatabaseUnable(error)) return error;
  return new ExitError(`the database failed: ${message}`, EXIT.failed, error);
}

export const backupUsage = `  npm run database -- backup <file>
  npm run database -- restore <file>

    backup writes the embedded database in DATA_DIR to a file, even while the service is running. restore writes a
    backup to an empty DATA_DIR. A backup contains names, email addresses and key hashes.
`;

const form = { positionals: ['file'] };

function embeddedDirectory(): string {
  const { databaseUrl, dataDir } = readSettings();
  if (databaseUrl !== undefined)
    throw new ExitError(
      'this command works only with the embedded database: with DATABASE_URL, use pg_dump and pg_restore',
    );
  return resolve(dataDir);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const OTHER_FILE = 'restore another backup';

function faultOf(file: string, error: unknown): unknown {
  const { code, syscall, message } = Object(error) as NodeJS.ErrnoException;
  if (error instanceof ArchiveFault) return new ExitError(`${file} ${message}: ${OTHER_FILE}`, EXIT.failed, error);
  if (/^Z_/.test(String(code)))
    return new ExitError(`${file} is truncated or damaged: ${OTHER_FILE}`, EXIT.failed, error);
  if (code === 'DIRECTORY_IN_USE') return new ExitError(message, EXIT.refused, error);
  if (code === 'NOT_EMPTY') return new ExitError(`${message}; set DATA_DIR to an empty directory`, EXIT.refused, error);
  if (syscall !== undefined || /cannot be (opened|written|created)/.test(message))
    return new ExitError(message, EXIT.failed, error);
  return databaseFault(error);
}

export const runBackup = command(form, async ({ positionals: [file = ''] }) => {
  const dataDir = embeddedDirectory();
  if (!holdsDatabase(dataDir))
    throw new ExitError(`there is no database in ${dataDir}: set DATA_DIR to the directory of a database`);
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new ExitError(`${folder} does not exist: create the directory first`);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new ExitError(`${file} is a directory: use the name of a file`);
  if (!relative(dataDir, resolve(file)).startsWith('..')) throw wrongUsage('<file> must be outside DATA_DIR');
  const { elapsed, now } = systemClock;
  try {
    const { size, waited } = await writeBackup(dataDir, resolve(file), { createdAt: iso(now()), elapsed });
    process.stdout.write(
      `${file}: ${megabytes(size)}, from ${dataDir}; statements were blocked for ${Math.round(waited)} ms\n`,
    );
  } catch (error) {
    throw faultOf(file, error);
  }
});

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
