import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import type { TokenName } from '#catalogue/token';
import { openDatabase } from '#database/database';
import { startSandbox } from '#sandbox/server';
import { addSandboxTokens } from '../../fixtures/sandbox-tokens.ts';
import { fillArchive } from './archive.ts';
import { makeDatabase, type TemporaryDatabase } from './database.ts';
import type { Environment } from './environment.ts';
import { serviceOf, TREE } from './node.ts';
import { type Server, startServer } from './service-process.ts';
import { makeUsers, migrate } from './users.ts';

/** A limit that no bench reaches. */
export const UNLIMITED = 2_000_000_000;
export const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';

/**
 * Opens a test bench: a database with users who never reach their limit, stand-ins for the upstreams, and baseline
 * servers. `close` stops everything that the test bench has started.
 * @param tree the checkout whose build is measured
 * @param prepared an empty database, which the caller deletes. Otherwise, a temporary database is created.
 */
export async function openStand({ databaseServer }: Environment, users = 1, tree = TREE, prepared?: TemporaryDatabase) {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
  const database = prepared ?? (databaseServer === undefined ? undefined : await makeDatabase(databaseServer));
  const dataDir = join(directory, 'data');
  const location = { url: database?.url, dataDir };
  await migrate(location, tree);
  const keys = await makeUsers(location, users, UNLIMITED);
  const sandbox = await startSandbox({ plan: 'demo' });
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: database?.url ?? '',
    PORT: '0',
    BURST_PER_SECOND: '0',
    COINGECKO_PLAN: 'demo',
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
  };
  const opened: Server[] = [];

  async function start(script: string, settings: Record<string, string>): Promise<Server> {
    const server = await startServer(script, settings);
    opened.push(server);
    return server;
  }

  return {
    keys,
    key: keys[0] ?? '',
    /** The database's URL; undefined for the embedded database. */
    databaseUrl: database?.url,
    dataDir,
    /** Creates users with a limit and returns their keys. Call this before the service opens an embedded database. */
    makeUsers: (count: number, limit: number) => makeUsers(location, count, limit),
    /** Writes a full archive of the tokens. Call this before the service opens an embedded database. */
    fillArchive: (tokens: readonly TokenName[]) => fillArchive(dataDir, tokens, database?.url),
    sandbox,
    /** Adds the sandbox's tokens up to a number, and returns the names of all. Call this like `fillArchive`. */
    async addTokens(count: number): Promise<TokenName[]> {
      const opened = await openDatabase(location);
      const names = await addSandboxTokens(opened.prisma, count);
      await opened.close();
      return names;
    },
    /** Starts the service, or a variant of it. */
    startService: (settings: Record<string, string> = {}, script = serviceOf(tree)) =>
      start(script, { ...env, ...settings }),

    /** Returns functions that start bare servers with the service's response: body only, or body and headers. */
    async baselinesOf(url: string, { br = false } = {}) {
      const response = await request(url, {
        headers: { 'x-api-key': keys[0] ?? '', 'accept-encoding': br ? 'br' : 'identity' },
      });
      if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${await response.body.text()}`);
      const file = join(directory, `body-${Math.random()}`);
      await writeFile(file, Buffer.from(await response.body.arrayBuffer()));
      // The baseline servers' Node sets these headers itself.
      const automatic = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);
      const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => !automatic.has(name)));
      const bare = (sent: Record<string, unknown>, settings = {}) =>
        start('stand/bare-server.ts', { ...settings, BODY_FILE: file, HEADERS: JSON.stringify(sent) });
      return {
        plain: (settings: Record<string, string> = {}) => bare({ 'content-type': headers['content-type'] }, settings),
        withHeaders: () => bare(headers),
      };
    },

    async close(): Promise<void> {
      for (const server of opened.reverse()) await server.close();
      await sandbox.close();
      await database?.drop();
      await rm(directory, { recursive: true });
    },
  };
}
