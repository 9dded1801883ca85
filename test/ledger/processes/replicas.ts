import { openDatabase } from '#database/database';
import { startSandbox } from '#sandbox/server';
import { createUserServices } from '#user-services';
import { createTestDatabase } from '../../support/database/database.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service/service-process.ts';

/** A user's calls in the ledger, summed over all periods: made, leased and not spent, and those of all dates. */
export type Books = { used: number; outstanding: number; daily: number };

/**
 * Starts processes of the service on one database, with the sandbox as CoinGecko. The caller may create and drop the
 * database at `url`; by default, a new one is created. `close` stops everything.
 */
export async function startReplicas(
  count: number,
  { url, env = {} }: { url?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const made = url ? undefined : await createTestDatabase();
  const databaseUrl = url ?? made?.url ?? '';
  const sandbox = await startSandbox();
  const database = await openDatabase({ url: databaseUrl, dataDir: 'unused', poolSize: 2 });
  const upstreams = {
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
  };
  const settings = { DATABASE_URL: databaseUrl, ...upstreams, ...env };
  const processes: ServiceProcess[] = await Promise.all(
    Array.from({ length: count }, () => startServiceProcess(settings)),
  );
  const { users, keys, administration } = createUserServices(database.prisma);

  return {
    processes,
    sandbox,
    prisma: database.prisma,
    /** Services with a connection that the processes do not use. */
    users,
    keys,
    administration,
    start: () => startServiceProcess(settings),

    /** Creates a user with a limit for each period. */
    createUser: (limit: number) =>
      users.create({ name: 'Ada Lovelace', email: 'ada@example.org', plan: 'monthly' }, limit),

    async ledgerRows(userKey: number): Promise<Books> {
      const [row] = await database.prisma.$queryRaw<[Books]>`
        SELECT (u.used - l.outstanding)::int AS used, l.outstanding::int, (d.calls + l.spent)::int AS daily
        FROM (SELECT coalesce(sum(used), 0) AS used FROM usage WHERE user_key = ${userKey}) u,
          (SELECT coalesce(sum(calls), 0) AS calls FROM usage_day WHERE user_key = ${userKey}) d,
          (SELECT coalesce(sum(granted - spent), 0) AS outstanding, coalesce(sum(spent), 0) AS spent FROM lease
            WHERE user_key = ${userKey}) l`;
      return row;
    },

    async close(): Promise<void> {
      await Promise.all(processes.map(({ kill }) => kill()));
      await database.close();
      await made?.drop();
      await sandbox.close();
    },
  };
}

export type Replicas = Awaited<ReturnType<typeof startReplicas>>;
