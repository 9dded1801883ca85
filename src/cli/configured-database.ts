import { resolve } from 'node:path';
import { createAccountStore } from '#accounts/users/account-store';
import { createCatalogue } from '#catalogue/catalogue';
import type { Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import type { Database } from '#database/database';
import { parseServerUrl } from '#database/server-url';
import { ExitError, isUnreachable, openConfiguredDatabase } from '#process/exit';
import { readSettings, type Settings } from '#settings';
import { wrongUsage } from './arguments.ts';

/**
 * Runs some work with the configured database, and closes it afterwards in any case. A command reaches an embedded
 * database in use through the service that has it.
 *
 * A database without users may be another one than the operator meant (a demo or a service with other settings has its
 * own), so stderr names it.
 */
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
    : `The database at ${placeOf(databaseUrl)} has no users. To use another database, set DATABASE_URL.`;

/** The hosts and the name of a server's database, without the user, the password and the parameters. */
function placeOf(databaseUrl: string): string {
  const { hosts } = parseServerUrl(databaseUrl);
  const { pathname } = new URL(hosts[0]?.url ?? databaseUrl);
  return hosts.map(({ name }) => name).join() + pathname;
}

/** The served token that an argument names, by name or symbol. Throws `ExitError` with the nearest for any other text. */
export async function servedToken(prisma: Database['prisma'], text: string): Promise<Token> {
  const catalogue = createCatalogue(await createTokenStore(prisma).all());
  const token = catalogue.find(text);
  if (token) return token;
  const near = catalogue.nearest(text).map(({ name }) => name);
  const hint =
    near.length > 0 ? `do you mean ${near.join(' or ')}?` : '`npm run tokens -- list` has them all';
  throw wrongUsage(`unknown token: ${hint}`);
}
