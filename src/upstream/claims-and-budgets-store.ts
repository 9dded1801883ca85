import { iso, SECOND } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Resource } from './resource.ts';

export type RefreshRow = { resource: string; fetchedAt: number | null; version: number };
/** The time is truncated to milliseconds, because a column with that precision could round it up. */
const NOW = Prisma.sql`date_trunc('milliseconds', clock_timestamp())`;
const isOtherMinute = Prisma.sql`excluded.minute_start NOT BETWEEN budget.minute_start - interval '1 minute' AND budget.minute_start`;

export function createRefreshStore(prisma: PrismaClient) {
  return {
    async read(names: readonly Resource[]): Promise<RefreshRow[]> {
      const rows = await prisma.$queryRaw<{ resource: string; fetchedAt: Date | null; version: number }[]>`
        SELECT resource, fetched_at AS "fetchedAt", version FROM refresh
        WHERE resource IN (SELECT json_array_elements_text(${JSON.stringify(names)}::json))`;
      // Once a second, a process may read thousands of rows.
      return rows.map(({ resource, fetchedAt, version }) => ({
        resource,
        fetchedAt: fetchedAt?.getTime() ?? null,
        version,
      }));
    },

    // One statement, so only one process gets the claim. Fails if the data was fetched since `knownVersion`. No claim
    // lasts a day: a claim with a later end was set before the clock was set back, and is void.
    async claim(resource: Resource, holder: string, forMs: number, knownVersion: number): Promise<boolean> {
      const claimed = await prisma.$executeRaw`
        INSERT INTO refresh (resource, holder, until)
        VALUES (${resource}, ${holder}::uuid, clock_timestamp() + make_interval(secs => ${forMs / 1000}::float8))
        ON CONFLICT (resource) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE refresh.version = ${knownVersion}::int
          AND (refresh.until IS NULL OR refresh.until < clock_timestamp()
            OR refresh.until > clock_timestamp() + make_interval(days => 1) OR refresh.holder = excluded.holder)`;
      return claimed > 0;
    },

    async release(resource: Resource, holder: string): Promise<void> {
      await prisma.$executeRaw`
        UPDATE refresh SET until = NULL, holder = NULL WHERE resource = ${resource} AND holder = ${holder}::uuid`;
    },

    /** Releases the claim after a success at an instant (Unix ms). */
    async complete(resource: Resource, holder: string, at: number): Promise<void> {
      await prisma.$executeRaw`
        UPDATE refresh SET until = NULL, holder = NULL, version = version + 1, fetched_at = ${iso(at)}::timestamptz
        WHERE resource = ${resource} AND holder = ${holder}::uuid`;
    },

    // One statement, so that only one process gets the turn. It reads the clock after it has locked the row: an earlier
    // reading could precede the previous turn, as if the clock had been set back. `every` is in ms.
    async takeTurn(resource: Resource, every: number): Promise<boolean> {
      const taken = await prisma.$executeRaw`
        INSERT INTO refresh (resource, fetched_at) VALUES (${resource}, ${NOW})
        ON CONFLICT (resource) DO UPDATE SET fetched_at = ${NOW}
        WHERE refresh.fetched_at IS NULL OR refresh.fetched_at NOT BETWEEN
          ${NOW} - make_interval(secs => ${every / SECOND}::float8) AND ${NOW}`;
      return taken > 0;
    },

    // Takes a call from a minute and a month, given by their starts in Unix ms. Returns the month's spent calls, or
    // undefined if no call is left. One statement, so that only one of two processes takes the last call. A clock that
    // was set back reopens no past month, and a slightly slow clock does not reopen the previous minute.
    async reserve(
      upstream: string,
      { minute, month }: { minute: number; month: number },
      { perMinute, perMonth }: { perMinute: number; perMonth: number },
    ): Promise<number | undefined> {
      if (perMinute < 1 || perMonth < 1) return undefined;
      const most = (limit: number) => Math.min(limit, 2_147_483_647);
      const rows = await prisma.$queryRaw<{ spent: number }[]>`
        INSERT INTO budget (upstream, minute_start, minute_spent, month_start, month_spent, first_call_at)
        VALUES (${upstream}, ${iso(minute)}::timestamptz, 1, ${iso(month)}::timestamptz, 1, ${iso(minute)}::timestamptz)
        ON CONFLICT (upstream) DO UPDATE SET
          minute_spent = CASE WHEN ${isOtherMinute} THEN 1 ELSE budget.minute_spent + 1 END,
          minute_start = CASE WHEN ${isOtherMinute} THEN excluded.minute_start ELSE budget.minute_start END,
          month_spent = CASE WHEN excluded.month_start > budget.month_start THEN 1 ELSE budget.month_spent + 1 END,
          month_start = greatest(budget.month_start, excluded.month_start)
        WHERE (${isOtherMinute} OR budget.minute_spent < ${most(perMinute)}::int)
          AND (excluded.month_start > budget.month_start OR budget.month_spent < ${most(perMonth)}::int)
        RETURNING month_spent AS spent`;
      return rows[0]?.spent;
    },

    /** `month` is a start in Unix ms. `firstCall` is the minute of the first call (Unix ms), or 0 if it is unknown. */
    async stored(upstream: string, month: number): Promise<{ spent: number; firstCall: number | undefined }> {
      const row = await prisma.budget.findUnique({ where: { upstream } });
      if (!row) return { spent: 0, firstCall: undefined };
      const spent = row.monthStart.getTime() >= month ? row.monthSpent : 0;
      return { spent, firstCall: row.firstCallAt?.getTime() ?? 0 };
    },
  };
}

export type RefreshStore = ReturnType<typeof createRefreshStore>;

/** Makes all processes reload the resource, and ends its claim. `at` is the time of a fetch (Unix ms), if any. */
export const bumpVersion = (resource: string, at?: number) => Prisma.sql`
  INSERT INTO refresh (resource, fetched_at, version) VALUES (${resource}, ${at === undefined ? null : iso(at)}::timestamptz, 1)
  ON CONFLICT (resource) DO UPDATE SET fetched_at = excluded.fetched_at, version = refresh.version + 1,
    holder = NULL, until = NULL`;
