import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createCatalogue } from '#catalogue/catalogue';
import type { Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { parseServerUrl } from '#database/connection/server-url';
import type { Database } from '#database/database';
import { holdsDatabase, isInMemory } from '#database/embedded/data-directory';
import { type OpenSession, openSession, type Place } from '#database/session';
import { EXIT, ExitError } from '#process/exit';
import { isUnreachable, openConfiguredDatabase, REFUSED } from '#process/open-database';
import { readSettings, type Settings } from '#settings';
import { createAccountStore } from '#users/administration/account-store';
import { wrongUsage } from './arguments.ts';
import { note, withProgress } from './output.ts';

const NO_DATABASE = 'set DATA_DIR or DATABASE_URL, or start the service once to create the database';

/** Connects through the service if it runs on the embedded database. Notes a database without users. */
export async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const settings = readSettings();
  const { databaseUrl, dataDir } = settings;
  if (databaseUrl === undefined && !isInMemory(dataDir)) await confirmCreation(resolve(dataDir), NO_DATABASE);
  const opening = withProgress(
    () => 'connecting to the database',
    () => openConfiguredDatabase(settings, { isShared: true }),
  );
  const database = await opening.catch((error) => {
    if (databaseUrl === undefined || !isUnreachable(error)) throw error;
    throw new ExitError(`${error.message}: start the server, or correct DATABASE_URL`, error.exitCode, error);
  });
  try {
    const hasUsers = await createAccountStore(database.prisma).hasUsers();
    if (!hasUsers) note(emptinessOf(settings));
    return await withProgress(
      () => 'waiting for the database',
      () => work(database),
    );
  } finally {
    await database.close();
  }
}

/** The directory may be wrong, so a command creates a database in it only after a confirmation at a terminal. */
export async function confirmCreation(dataDir: string, remedy: string): Promise<void> {
  if (holdsDatabase(dataDir)) return;
  if (process.stdin.isTTY && process.stderr.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    // Ctrl-D closes the terminal without an answer.
    const closed = once(terminal, 'close').then(() => '');
    const response = await Promise.race([terminal.question(`Create a database in ${dataDir}? [y/N] `), closed]);
    terminal.close();
    if (/^y(es)?$/i.test(response.trim())) return;
  }
  throw new ExitError(`there is no database in ${dataDir}: ${remedy}`);
}

const emptinessOf = ({ databaseUrl, dataDir }: Settings) =>
  databaseUrl === undefined
    ? `The embedded database in ${resolve(dataDir)} has no users. To use another database, set DATA_DIR or DATABASE_URL.`
    : `The database at ${configuredDatabasePlaceOf(databaseUrl)} has no users. To use another database, set DATABASE_URL.`;

function configuredDatabasePlaceOf(databaseUrl: string): string {
  const { hosts, database } = parseServerUrl(databaseUrl);
  return [hosts.map(({ name }) => name).join(), database].filter(Boolean).join('/');
}

/** Finds a served token by name or symbol. Otherwise, throws `UsageError` with similar names. */
export async function servedToken(prisma: Database['prisma'], text: string): Promise<Token> {
  const catalogue = createCatalogue(await createTokenStore(prisma).all());
  const token = catalogue.findItself(text);
  if (token) return token;
  const near = catalogue.nearest(text).map(({ name }) => name);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : '`quotient tokens list` lists all tokens';
  throw wrongUsage(`unknown token: ${hint}`);
}

/** Throws `UsageError`, which does not repeat the text: it may contain a password. */
export function placeOf(label: string, text: string): Place {
  if (/^postgres(?:ql)?:\/\//.test(text)) return { url: text };
  if (text === '' || /^[^/\\]*:\/\/|@/.test(text))
    throw wrongUsage(`${label} must be postgresql://user:password@host:port/database, or a directory`);
  return { dataDir: resolve(text) };
}

export const configuredPlace = ({ databaseUrl, dataDir }: Settings): Place =>
  databaseUrl === undefined ? { dataDir: resolve(dataDir) } : { url: databaseUrl };

export const isSamePlace = (place: Place, other: Place): boolean =>
  'url' in place ? 'url' in other && place.url === other.url : !('url' in other) && place.dataDir === other.dataDir;

export async function openDatabaseAt(label: string, place: Place): Promise<OpenSession> {
  try {
    return await openSession(place);
  } catch (error) {
    const { message, code, fault } = error as NodeJS.ErrnoException & { fault?: string };
    if (code === 'MALFORMED_URL') throw wrongUsage(`${label} ${fault}`);
    throw new ExitError(`${label}: ${message}`, REFUSED.has(String(code)) ? EXIT.refused : EXIT.failed, error);
  }
}
