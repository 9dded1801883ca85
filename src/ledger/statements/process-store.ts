import type { Database } from '#database/database';
import { epochMs } from '#database/values';
import { Prisma } from '#generated/prisma/client';
import type { LeaseKey } from './lease-rows-store.ts';

/**
 * How long a process lives after its last sign, and how long after that other processes may return its calls, in
 * seconds.
 */
export const PROCESS_SECONDS = 20;
export const SWEEP_SECONDS = 10;
/** Leases per statement. */
const SWEPT_AT_ONCE = 500;

/** A lease of an expired process, and whether it can be closed. Otherwise, its unspent calls are returned. */
type SweptLease = LeaseKey & { isOld: boolean };

/** The rows of processes. All times are by the database's clock, so the clocks of the processes do not matter. */
export const createProcessStore = ({ query }: Pick<Database, 'query'>) => ({
  /**
   * Announces that a process lives. Returns false if other processes have begun to return its calls: it must not spend
   * any more calls under this ID. Race: `swept_at` is compared under the row's lock, and calls are returned only after
   * it is stored.
   */
  async live(id: string, address: string | undefined): Promise<boolean> {
    const rows = await query(Prisma.sql`
      INSERT INTO process (id, address, expires_at)
      VALUES (${id}::uuid, ${address ?? null}, clock_timestamp() + make_interval(secs => ${PROCESS_SECONDS}::float8))
      ON CONFLICT (id) DO UPDATE SET address = excluded.address, expires_at = excluded.expires_at
      WHERE process.swept_at IS NULL RETURNING id`);
    return rows.length > 0;
  },

  /** The row remains, because a statement for a lease of the process may be executed after its deadline. */
  async leave(id: string): Promise<void> {
    await query(Prisma.sql`UPDATE process SET expires_at = clock_timestamp() WHERE id = ${id}::uuid`);
  },

  /**
   * Finds leases of processes that expired more than `SWEEP_SECONDS` ago, of one user or of all users. The caller
   * lowers them with `grants`, and closes them after a day with `closings`: a cluster changes the rows of several users
   * only in separate statements. Races:
   * - The process lives and reports. It is marked first, and cannot extend its life afterwards.
   * - The database was down, and no process could report. The caller has not failed to reach it for `SWEEP_SECONDS`.
   * - Two processes sweep at once. Each statement for a lease computes its change from the row that it has locked.
   */
  async sweep(userKey?: number): Promise<SweptLease[]> {
    await query(Prisma.sql`
      UPDATE process SET swept_at = clock_timestamp() WHERE swept_at IS NULL
        AND expires_at < clock_timestamp() - make_interval(secs => ${SWEEP_SECONDS}::float8)`);
    // For a day, the leases stay for late reports.
    const swept = await query<{ id: string; isOld: boolean }>(Prisma.sql`
      SELECT id::text, swept_at < clock_timestamp() - interval '1 day' AS "isOld" FROM process WHERE swept_at IS NOT NULL`);
    if (swept.length === 0) return [];
    const idsOf = (some: typeof swept) => Prisma.sql`l.process = ANY (${some.map(({ id }) => id)}::uuid[])`;
    const isOld = idsOf(swept.filter((process) => process.isOld));
    return query<SweptLease>(Prisma.sql`
      SELECT l.process::text, l.user_key AS "userKey", ${epochMs('l.period_start')} AS "periodStart",
        ${epochMs('l.date::timestamp')} AS date, ${isOld} AS "isOld"
      FROM lease l WHERE ${idsOf(swept)} AND (${isOld} OR l.granted > l.spent)
        ${userKey === undefined ? Prisma.empty : Prisma.sql`AND l.user_key = ${userKey}::int`}
      LIMIT ${SWEPT_AT_ONCE}::int`);
  },
});
