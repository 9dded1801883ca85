import { createUserStore } from '#accounts/keys/user-store';
import { createAdministration } from '#accounts/users/administration';
import { createAdministrationStore } from '#accounts/users/administration-store';
import { createUsers } from '#accounts/users/users';
import { systemClock } from '#core/clock';
import { openDatabase } from '#database/database';
import { startSandbox } from '#sandbox/server';
import { createTestDatabase } from '../../../support/database/database.ts';
import { type ServiceProcess, startServiceProcess } from '../../../support/service/service-process.ts';

/** A user's rows in the ledger, summed over all periods. */
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
  const store = createUserStore(database.prisma);
  const users = createUsers({ store, clock: systemClock });
  const administration = createAdministration({
    store: createAdministrationStore(database.prisma),
    find: store.find,
    clock: systemClock,
  });

  return {
    processes,
    sandbox,
    prisma: database.prisma,
    /** Services with a connection that the processes do not use. */
    users,
    administration,
    start: () => startServiceProcess(settings),

    /** Creates a user with a limit for each period. */
    createUser: (limit: number) =>
      users.create({ name: 'Ada Lovelace', email: 'ada@example.org', plan: 'monthly' }, limit),

    async ledgerRows(userKey: number): Promise<Books> {
      const { prisma } = database;
      const usage = await prisma.usage.aggregate({
        where: { userKey },
        _sum: { used: true, outstanding: true },
      });
      const days = await prisma.usageDay.aggregate({ where: { userKey }, _sum: { calls: true } });
      return {
        used: usage._sum.used ?? 0,
        outstanding: usage._sum.outstanding ?? 0,
        daily: days._sum.calls ?? 0,
      };
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
