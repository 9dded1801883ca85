import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { startSandbox } from '#sandbox/server';
import { makeDatabase } from './database.ts';
import type { Environment } from './environment.ts';
import { serviceOf, TREE } from './node.ts';
import { type Server, startServer } from './service-process.ts';
import { makeUsers, migrate } from './users.ts';

/** A limit that does not end. */
export const ENDLESS = 2_000_000_000;
export const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';

/**
 * What the service is measured on: a database with so many users of endless limits, stand-ins for its upstreams, and
 * servers to compare it with. All that it starts is closed with it.
 * @param tree the checkout whose build is measured
 */
export async function openStand({ databaseServer }: Environment, users = 1, tree = TREE) {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
  const database = databaseServer === undefined ? undefined : await makeDatabase(databaseServer);
  const dataDir = join(directory, 'data');
  const home = { url: database?.url, dataDir };
  await migrate(home, tree);
  const keys = await makeUsers(home, users, ENDLESS);
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
    /** Where the database is; undefined for the embedded one. */
    databaseUrl: database?.url,
    dataDir,
    /** More users, with a limit; on the embedded database before the service has it. Gives their keys. */
    makeUsers: (count: number, limit: number) => makeUsers(home, count, limit),
    sandbox,
    /** The service, or a variant of it. */
    startService: (settings: Record<string, string> = {}, script = serviceOf(tree)) =>
      start(script, { ...env, ...settings }),

    /** Starters of bare servers that send what the service answers: its body alone, or the headers too. */
    async twinsOf(url: string, { br = false } = {}) {
      const answer = await request(url, {
        headers: { 'x-api-key': keys[0] ?? '', 'accept-encoding': br ? 'br' : 'identity' },
      });
      if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${await answer.body.text()}`);
      const file = join(directory, `body-${Math.random()}`);
      await writeFile(file, Buffer.from(await answer.body.arrayBuffer()));
      // What is Node's own the twin has without being told.
      const own = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);
      const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !own.has(name)));
      const bare = (dress: Record<string, unknown>) =>
        start('./bare-server.ts', { BODY_FILE: file, HEADERS: JSON.stringify(dress) });
      return {
        plain: () => bare({ 'content-type': headers['content-type'] }),
        dressed: () => bare(headers),
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
