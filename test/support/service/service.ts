import type { AddressInfo } from 'node:net';
import { byOperator, mintApiKey, storedForm } from '#accounts/keys/api-key';
import { createUserStore } from '#accounts/keys/user-store';
import { firstTerm } from '#accounts/ledger/plan';
import { buildApp } from '#app';
import { type Clock, systemClock } from '#core/clock';
import { openLog } from '#open';
import { type Sandbox, startSandbox } from '#sandbox/server';
import type { Timeouts } from '#server/connections/request-body';
import { readSettings } from '#settings';
import { openParts } from '../../../fixtures/parts.ts';
import { statisticsSettings } from '../../../fixtures/statistics-settings.ts';
import { openTestDatabase, type TestDatabase } from '../database/database.ts';

export type Service = Awaited<ReturnType<typeof startService>>;

type Environment = Readonly<Record<string, string>>;

type Options = {
  /**
   * The environment, on top of one that asks the sandbox and logs everything; a function of the sandbox where it
   * names one of its URLs. No node is configured unless it is named here.
   */
  settings?: Environment | ((sandbox: Sandbox) => Environment);
  /** What `startSandbox` takes. The clock is the service's unless another is given. */
  sandbox?: Parameters<typeof startSandbox>[0];
  /** The system's clock where left out. */
  clock?: Clock;
  /** How long a request may take to arrive; as shipped where left out. */
  timeouts?: Timeouts;
  /** The folder that the console was built into; none is served where left out. */
  consoleFolder?: string;
  /** The database of another service, which keeps using it; a fresh one by default. */
  database?: TestDatabase;
};

/** `validUntil` in Unix ms; `revokedAt` and `expiresAt` are the key's. */
type UserCreation = { limit?: number; validUntil?: number; revokedAt?: Date; expiresAt?: Date };

/**
 * The whole service on a port of its own, with a fresh test database and the sandbox as its aggregator.
 * For `*.store.test.ts` and `*.server.test.ts`. `close` ends all of it, in reverse.
 */
export async function startService({
  settings: given,
  sandbox: options,
  clock = systemClock,
  timeouts,
  consoleFolder,
  database: shared,
}: Options = {}) {
  const logLines: string[] = [];
  const sandbox: Sandbox = await startSandbox({ clock, ...options });
  const env = typeof given === 'function' ? given(sandbox) : given;
  const logger = openLog(env?.LOG_LEVEL ?? 'trace', { write: (line) => void logLines.push(line) });
  const settings = readSettings({
    PORT: '0',
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
    ...statisticsSettings(sandbox),
    ...env,
  });
  const database = shared ?? (await openTestDatabase());
  const parts = await openParts(settings, { logger, clock, database });
  const app = await buildApp({ ...parts, consoleFolder, ...(timeouts && { timeouts }) });
  await app.listen({ host: settings.host, port: settings.port });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${settings.basePath}`;
  const users = createUserStore(database.prisma);

  return {
    /** `http://127.0.0.1:…` and the base path, without a slash at its end. */
    url,
    app,
    parts,
    sandbox,
    database,
    /** The log lines, each a JSON text. */
    logLines,

    /** Registers a user and gives the key. */
    async register(plan: 'monthly' | 'yearly' = 'monthly'): Promise<string> {
      const query = new URLSearchParams({ name: 'Ada Lovelace', email: 'ada@example.org', plan });
      const response = await fetch(`${url}/v1/user/create?${query}`, { method: 'POST' });
      const body = (await response.json()) as { apiKey?: string };
      if (response.status !== 201 || !body.apiKey) throw new Error(`registering: ${JSON.stringify(body)}`);
      return body.apiKey;
    },

    /** Makes a user with a limit, a term or an ended key that registration does not offer; returns the key. */
    async createUser({ limit = 1_000_000, validUntil, revokedAt, expiresAt }: UserCreation = {}): Promise<string> {
      const apiKey = mintApiKey();
      const now = clock.now();
      const term = { ...firstTerm('monthly', now), ...(validUntil !== undefined && { validUntil }) };
      const { key } = await users.create(
        { name: 'Ada Lovelace', email: 'ada@example.org', limit, createdAt: now, ...term },
        storedForm(apiKey),
      );
      if (revokedAt) await users.revokeKeys(key, revokedAt.getTime());
      if (expiresAt) {
        await users.replaceKeys(byOperator(key), storedForm(mintApiKey()), {
          now,
          graceEnds: expiresAt.getTime(),
        });
      }
      return apiKey;
    },

    /** GET of a path below `url`, with the key in its header if there is one. */
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
