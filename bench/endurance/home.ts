import { createUserStore } from '#accounts/keys/user-store';
import { createUsers } from '#accounts/users/users';
import { systemClock } from '#core/clock';
import { openDatabase } from '#database/database';
import { canStartPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { execute, makeDatabase } from '../database.ts';
import type { Book, Booked, User } from './book.ts';
import { createReclaimGuard } from './outages.ts';

/** After the server accepts connections again, how long a process may take to find it, in ms. */
const GRACE = 5_000;
/** Every so manieth user is createdUser with a limit that will be spent. */
const SCARCE = 30;
const SCARCE_LIMIT = 150;

/** The database of the run: on a server of its own, which can be stopped, else on that of `BENCH_DATABASE_URL`. */
export async function openHome() {
  const given = process.env.BENCH_DATABASE_URL;
  if (canStartPostgres) {
    const server = await startPostgresServer();
    return { url: server.url, server, close: server.close, ...verbs(server.url) };
  }
  if (!given) throw new Error("there is no PostgreSQL: install Debian's, or set BENCH_DATABASE_URL");
  const { url, drop } = await makeDatabase(given);
  return { url, server: undefined, close: drop, ...verbs(url) };
}

function verbs(url: string) {
  return {
    /** When the database was away. */
    outages: createReclaimGuard(GRACE),

    /** So many users of both plans, entered in the book. */
    async createUsers(book: Book, count: number): Promise<User[]> {
      const database = await openDatabase({ url, dataDir: 'unused' });
      const users = createUsers({ store: createUserStore(database.prisma), clock: systemClock });
      const createdUser: User[] = [];
      for (let i = 0; i < count; i++) {
        const plan = i % 2 === 0 ? 'monthly' : 'yearly';
        const isScarce = i % SCARCE === 0;
        const form = { name: `User ${i}`, email: 'user@example.org', plan } as const;
        const record = await users.create(form, isScarce ? SCARCE_LIMIT : undefined);
        createdUser.push(book.enter(record, { isScarce }));
      }
      await database.close();
      return createdUser;
    },

    /** What the ledger has of every user. */
    ledger: (): Promise<Booked[]> =>
      execute<Booked>(
        url,
        `SELECT key AS "userKey",
           unbooked + (SELECT coalesce(sum(used), 0)::int FROM usage WHERE user_key = key) AS used,
           unbooked + (SELECT coalesce(sum(calls), 0)::int FROM usage_day WHERE user_key = key) AS daily
         FROM "user", LATERAL (SELECT coalesce(sum(unbooked), 0)::int AS unbooked FROM lease WHERE user_key = key) l`,
      ),
  };
}

export type Home = Awaited<ReturnType<typeof openHome>>;
