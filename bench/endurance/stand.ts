import { openDatabase } from '#database/database';
import { createUserServices } from '#user-services';
import { canStartPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { execute, makeDatabase } from '../stand/database.ts';
import type { Ledger, LedgerRow, User } from './ledger.ts';
import { createOutages } from './outages.ts';

/** How long a process may take to reconnect after the server accepts connections again, in ms. */
const GRACE = 5_000;
/** One user in 30 has a limit that the run exhausts. */
const SCARCE = 30;
const SCARCE_LIMIT = 150;

/** Opens the run's database, on a dedicated server that can be stopped or, without one, on `BENCH_DATABASE_URL`. */
export async function openStand() {
  const given = process.env.BENCH_DATABASE_URL;
  if (canStartPostgres) {
    const server = await startPostgresServer();
    return { url: server.url, server, close: server.close, ...operations(server.url) };
  }
  if (!given) throw new Error("PostgreSQL not found: install Debian's packages or set BENCH_DATABASE_URL");
  const { url, drop } = await makeDatabase(given);
  return { url, server: undefined, close: drop, ...operations(url) };
}

function operations(url: string) {
  return {
    /** Outages of the database. */
    outages: createOutages(GRACE),

    /** Creates `count` users of both plans and adds them to the ledger. */
    async createUsers(ledger: Ledger, count: number): Promise<User[]> {
      const database = await openDatabase({ url, dataDir: 'unused' });
      const { users } = createUserServices(database.prisma);
      const created: User[] = [];
      for (let i = 0; i < count; i++) {
        const plan = i % 2 === 0 ? 'monthly' : 'yearly';
        const isScarce = i % SCARCE === 0;
        const form = { name: `User ${i}`, email: 'user@example.org', plan } as const;
        const record = await users.create(form, isScarce ? SCARCE_LIMIT : undefined);
        created.push(ledger.addUser(record, { isScarce }));
      }
      await database.close();
      return created;
    },

    /** Each user's calls in the service's ledger. */
    ledgerRows: (): Promise<LedgerRow[]> =>
      execute<LedgerRow>(
        url,
        `SELECT key AS "userKey",
           (SELECT coalesce(sum(used), 0)::int FROM usage WHERE user_key = key) - unspent AS used,
           (SELECT coalesce(sum(calls), 0)::int FROM usage_day WHERE user_key = key) + spent AS daily
         FROM "user", LATERAL (SELECT coalesce(sum(spent), 0)::int AS spent, coalesce(sum(granted - spent), 0)::int AS unspent
           FROM lease WHERE user_key = key) l`,
      ),
  };
}

export type Stand = Awaited<ReturnType<typeof openStand>>;
