import { Prisma } from '#generated/prisma/client';
import { isLeaseOf, type LeaseKey, leaseRows, onlyUsers } from './lease-rows-store.ts';

/** Totals, so that a report can be repeated. `details` has the format of `detailText`. */
export type LeaseReport = LeaseKey & { spent: number; details: string };

/**
 * Records the spent calls of leases of this process. The number of changed rows is lower than that of the reports if a
 * lease has no row. `used` contains granted calls and does not change. A report therefore writes no row that another
 * process writes, and no row of an idle lease. Races:
 * - A report is late, because its response was lost and later ones were sent. Each row contains the number of its last
 *   report, and PostgreSQL compares it again after it has waited for the row.
 * - Other processes consider this process dead and return its unspent calls. The row remains for a day, and its calls
 *   count even if they are more than `granted`.
 * - A grant, a return or the closing of a lease runs at the same time. The process excludes users with such a
 *   statement, because two statements that lock the same leases in different orders would deadlock.
 */
export function reports(leases: readonly LeaseReport[], number: number, isDistributed: boolean): Prisma.Sql {
  const rows = leaseRows(leases, {
    spent: ['int', ({ spent }) => spent],
    details: ['text', ({ details }) => details || 'NULL'],
  });
  return Prisma.sql`
  UPDATE lease l SET report = ${number}::int, spent = r.spent, details = string_to_array(r.details, ' ')::int[]
  FROM ${rows} r WHERE ${isLeaseOf} AND l.report < ${number}::int ${onlyUsers(leases, isDistributed)('l.user_key')}`;
}
