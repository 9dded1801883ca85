import type { AddressInfo } from 'node:net';
import { buildApp } from '#app';
import { type Clock, systemClock } from '#core/clock';
import { mintOwnerKey } from '#keys/api-key';
import { createKeyStore } from '#keys/key-store';
import { openLog } from '#open';
import { type Sandbox, startSandbox } from '#sandbox/server';
import type { Timeouts } from '#server/connections/request-body';
import type { StreamTimes } from '#server/responses/stream-review';
import { readSettings } from '#settings';
import { byOperator } from '#users/authority';
import { firstTerm } from '#users/plan';
import { createUserStore } from '#users/user-store';
import { openParts } from '../../../fixtures/parts.ts';
import { statisticsSettings } from '../../../fixtures/statistics-settings.ts';
import { openTestDatabase, type TestDatabase } from '../database/database.ts';
import { OPERATOR } from '../operator.ts';

export type Service = Awaited<ReturnType<typeof startService>>;

type Environment = Readonly<Record<string, string>>;

type Options = {
  /**
   * Settings that override the defaults, which use the sandbox and log everything. A function receives the sandbox, to
   * use its URLs. No node is configured by default.
   */
  settings?: Environment | ((sandbox: Sandbox) => Environment | Promise<Environment>);
  /** The options of `startSandbox`. The default clock is the service's. */
  sandbox?: Parameters<typeof startSandbox>[0];
  /** The system's clock by default. */
  clock?: Clock;
  /** The time limits for receiving a request; the production values by default. */
  timeouts?: Timeouts;
  /** The periods of streams; the production values by default. */
  streamTimes?: StreamTimes;
  /** The folder with the built console. By default, no console is served. */
  consoleFolder?: string;
  /** The file of the packed client. By default, it is not served. */
  clientFile?: string;
  /** The database of another service, which keeps using it; a new one by default. */
  database?: TestDatabase;
};

/** `validUntil` is in Unix ms. `revokedAt` and `expiresAt` belong to the key. */
type UserCreation = { limit?: number; validUntil?: number; revokedAt?: Date; expiresAt?: Date };

/**
 * Starts the whole service on a free port, with a new test database and the sandbox as CoinGecko. For `*.store.test.ts`
 * and `*.server.test.ts`. `close` stops everything, in reverse order.
 */
export async function startService({
  settings: given,
  sandbox: options,
  clock = systemClock,
  timeouts,
  streamTimes,
  consoleFolder,
  clientFile,
  database: shared,
}: Options = {}) {
  const logLines: string[] = [];
  const sandbox: Sandbox = await startSandbox({ clock, ...options });
  const env = typeof given === 'function' ? await given(sandbox) : given;
  const logger = openLog(env?.LOG_LEVEL ?? 'trace', { write: (line) => void logLines.push(line) });
  const settings = readSettings({
    PORT: '0',
    METRICS_PORT: 'off',
    ADMIN_PORT: 'off',
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    COINBASE_URL: sandbox.coinbaseUrl,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
    ...statisticsSettings(sandbox),
    ...env,
  });
  const database = shared ?? (await openTestDatabase());
  const parts = await openParts(settings, { logger, clock, database });
  const app = await buildApp({
    ...parts,
    consoleFolder,
    clientFile,
    ...(timeouts && { timeouts }),
    ...(streamTimes && { streamTimes }),
  });
  await app.listen({ host: settings.host, port: settings.port });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${settings.basePath}`;
  const users = createUserStore(database.prisma);
  const keys = createKeyStore(database.prisma);

  return {
    /** `http://127.0.0.1:…` and the base path, without a trailing slash. */
    url,
    app,
    parts,
    sandbox,
    database,
    /** The log lines as JSON texts. */
    logLines,

    /** Registers a user. Returns the key. */
    async register(plan: 'monthly' | 'yearly' = 'monthly'): Promise<string> {
      const query = new URLSearchParams({ name: 'Ada Lovelace', email: 'ada@example.org', plan });
      const response = await fetch(`${url}/v1/user/create?${query}`, { method: 'POST' });
      const body = (await response.json()) as { apiKey?: string };
      if (response.status !== 201 || !body.apiKey) throw new Error(`registering: ${JSON.stringify(body)}`);
      return body.apiKey;
    },

    /** Creates a user with a limit, a term or an ended key that registration does not offer. Returns the key. */
    async createUser({ limit = 1_000_000, validUntil, revokedAt, expiresAt }: UserCreation = {}): Promise<string> {
      const ownerKey = mintOwnerKey();
      const now = clock.now();
      const term = { ...firstTerm('monthly', now), ...(validUntil !== undefined && { validUntil }) };
      const { key } = await users.create(
        { name: 'Ada Lovelace', email: 'ada@example.org', limit, createdAt: now, ...term },
        ownerKey,
      );
      if (revokedAt) await keys.revokeKeys(byOperator(key, OPERATOR), revokedAt.getTime());
      if (expiresAt) {
        await keys.replaceKeys(byOperator(key, OPERATOR), mintOwnerKey(), {
          now,
          graceEnds: expiresAt.getTime(),
        });
      }
      return ownerKey.apiKey;
    },

    /** Creates a key of a user. Returns the key. */
    async createKey(owner: string, terms: Readonly<Record<string, string>>): Promise<string> {
      const headers = { 'x-api-key': owner };
      const response = await fetch(`${url}/v1/user/keys?${new URLSearchParams(terms)}`, { method: 'POST', headers });
      return ((await response.json()) as { apiKey: string }).apiKey;
    },

    /** The charged calls in the current period of a key's user. */
    async used(key: string): Promise<number> {
      const response = await fetch(`${url}/v1/user/usage`, { headers: { 'x-api-key': key } });
      return ((await response.json()) as { used: number }).used;
    },

    /** Sends a GET for a path below `url`, with the key in its header if there is one. */
    get(path: string, { key, headers }: { key?: string; headers?: Record<string, string> } = {}) {
      return fetch(`${url}${path}`, { headers: { ...(key && { 'x-api-key': key }), ...headers } });
    },

    async close(): Promise<void> {
      await app.close();
      await parts.close();
      if (!shared) await database.close();
      await sandbox.close();
    },
  };
}
