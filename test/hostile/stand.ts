import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { type Database, openDatabase } from '#database/database';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '#process/node-flags';
import { startSandbox } from '#sandbox/server';
import { repeatRequest } from '../../bench/calls/hostile/attacks.ts';
import { type Neighbour, startNeighbour } from '../../bench/calls/hostile/neighbour.ts';
import { residentSize } from '../../bench/measuring/resident-size.ts';
import { execute, makeDatabase } from '../../bench/stand/database.ts';
import { freePort } from '../../bench/stand/free-port.ts';
import { statisticsSettings } from '../../fixtures/statistics-settings.ts';
import { databaseStatements } from '../support/database/adverse-settings.ts';
import { spawnService } from '../support/service/service-process.ts';

/** The maximum resident memory after an attack, relative to the start, and the time allowed to reach it, in ms. */
const MEMORY = { times: 1.2, within: 30_000 };
/** The duration of an endless attack, in ms. */
export const ATTACK_MS = 1_500;
/** CoinGecko is called every second, so that a faulty response arrives soon. */
export const FETCHED_EVERY_SECOND = {
  COINGECKO_REFRESH: 'latest=1s,chart=1s',
  COINGECKO_CALLS_PER_MINUTE: '100000',
  COINGECKO_CALLS_PER_MONTH: '100000000',
};
const WARM_UP_MS = 2_500;
const ORDINARY = [
  '/v1/prices/latest/token?tokenName=bitcoin',
  '/v1/prices/history/days?tokenName=bitcoin&days=30',
  '/v1/user/usage',
  '/v1/nothing',
];

type Options = {
  settings?: Record<string, string>;
  /** The content of the database before the service starts. */
  prepare?: (database: Database) => Promise<unknown>;
  /** Replaces the database URL that the service uses. */
  databaseAt?: (url: string) => string;
};

/**
 * Starts the built service as a process, as `npm start` does, with stand-ins for its upstreams and a neighbour. It uses
 * the server at `TEST_DATABASE_URL`, or else the embedded database. If an attack has ended the process, it is
 * restarted.
 */
export async function openStand({ settings = {}, prepare, databaseAt = (url) => url }: Options = {}) {
  const server = process.env.TEST_DATABASE_URL;
  const directory = await mkdtemp(join(tmpdir(), 'quotient-hostile-'));
  const dataDir = join(directory, 'data');
  const database = server ? await makeDatabase(server) : undefined;
  const name = database && new URL(database.url).pathname.slice(1);
  for (const statement of name ? databaseStatements(name, false) : []) await execute(server ?? '', statement);
  const sandbox = await startSandbox({ plan: 'pro' });
  const metricsPort = await freePort();
  const environment = {
    ...NODE_ENVIRONMENT,
    DATA_DIR: dataDir,
    DATABASE_URL: database ? databaseAt(database.url) : '',
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
    COINGECKO_PLAN: 'pro',
    ...statisticsSettings(sandbox),
    NODE_URLS: sandbox.cosmosNodeUrl,
    UPSTREAM_TIMEOUT_MS: '1000',
    METRICS_PORT: String(metricsPort),
    ...settings,
  };
  const closers: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true })];
  if (database) closers.push(database.drop);
  closers.push(sandbox.close);
  const close = async () => {
    for (const end of closers.splice(0).reverse()) await end();
  };

  /** Changes the database while no other process has it open. */
  async function inDatabase(use: (database: Database) => Promise<unknown>): Promise<void> {
    const opened = await openDatabase({ url: database?.url, dataDir });
    await use(opened).finally(opened.close);
  }

  async function start() {
    const process = spawnService(environment, [
      ...NODE_FLAGS,
      join(inject('builtService'), 'build/cli/quotient.js'),
      'serve',
    ]);
    closers.push(process.kill);
    const urlIn = (line: string) => /http:\/\/[\d.]+:\d+/.exec(line)?.[0] ?? '';
    const url = urlIn(await process.logged(/Server listening at http:/));
    let isUp = true;
    void process.exited.then(() => {
      isUp = false;
    });
    return { ...process, url, isUp: () => isUp };
  }

  let service: Awaited<ReturnType<typeof start>>;
  let neighbour: Neighbour | undefined;
  /**
   * The resident memory before the first attack on this process. Later values could include the effects of an attack.
   */
  let atRest: number | undefined;

  /** Creates a user and returns the API key. */
  async function register(): Promise<string> {
    const form = new URLSearchParams({ name: 'Ada', email: 'ada@example.org', plan: 'yearly' });
    const response = await fetch(`${service.url}/v1/user/create?${form}`, { method: 'POST' });
    expect(response.status).toBe(201);
    return ((await response.json()) as { apiKey: string }).apiKey;
  }

  async function begin(): Promise<void> {
    await neighbour?.close();
    atRest = undefined;
    service = await start();
    neighbour = await startNeighbour(service.url, await register());
    closers.push(neighbour.close);
    // A new process grows by a third with its first calls, and a neighbour's lease grows with its calls.
    const target = { url: service.url, apiKey: await register() };
    await Promise.all(ORDINARY.map((path) => repeatRequest(target, { path, connections: 16, ms: WARM_UP_MS })));
  }

  try {
    if (prepare) await inDatabase(prepare);
    await begin();
  } catch (error) {
    await close();
    throw error;
  }

  const size = async () => (await residentSize(service.pid)) ?? Number.NaN;

  return {
    sandbox,
    databaseUrl: database?.url,
    url: () => service.url,
    lines: () => service.lines as readonly string[],
    register,
    inDatabase,
    stop: () => service.stop(),
    start: begin,
    close,

    /** The text of the metrics. */
    metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),

    /** Sends a request and reads the body. */
    async ask(path: string, apiKey?: string, init: RequestInit = {}) {
      const headers = { ...(apiKey !== undefined && { 'x-api-key': apiKey }), ...init.headers };
      const startedAt = performance.now();
      const response = await fetch(`${service.url}${path}`, { ...init, headers });
      const text = await response.text();
      const code = response.ok ? undefined : (/"code":"(\w+)"/.exec(text)?.[1] ?? text);
      return {
        status: response.status,
        code,
        text,
        headers: response.headers,
        ms: performance.now() - startedAt,
      };
    },

    /**
     * Runs an attack. Expects that the neighbour's requests succeed within their timeout of 5 s, that the process is
     * still running, and that its memory returns to the level before the first attack. `peak` is the maximum memory
     * relative to the start of this attack. `npm run bench -- hostile` measures the neighbour's latency.
     */
    async attacked<T>(attack: () => Promise<T>): Promise<{ result: T; peak: number }> {
      if (!service.isUp()) await begin();
      const before = await size();
      atRest ??= before;
      let highest = before;
      const watching = setInterval(async () => {
        highest = Math.max(highest, (await residentSize(service.pid)) ?? 0);
      }, 100);
      const beside = neighbour as Neighbour;
      const { spell, result } = await beside.during(attack).finally(() => clearInterval(watching));
      expect(service.isUp(), 'the process is running').toBe(true);
      expect.soft([...new Set(spell.failures)], "the neighbour's failed requests").toEqual([]);
      expect.soft(spell.responses).toBeGreaterThan(0);
      await expect
        .poll(size, { timeout: MEMORY.within, interval: 250, message: 'resident memory at the end' })
        .toBeLessThanOrEqual(MEMORY.times * atRest);
      return { result, peak: highest / before };
    },
  };
}

export type Stand = Awaited<ReturnType<typeof openStand>>;
