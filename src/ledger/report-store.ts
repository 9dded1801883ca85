import { arrayOf } from '#database/values';
import { Prisma } from '#generated/prisma/client';
import { KEY_DATES, keyColumns, type LeaseKey } from './grant-store.ts';

/** Totals, so that a report can be repeated. `details` as `detailText` writes them. */
export type LeaseReport = LeaseKey & { spent: number; details: string };

/**
 * Records the spent calls of leases of this process. The number of changed rows is lower than that of the reports if a
 * lease has no row. `used` does not change, because it contains granted calls, so no row is written that another process
 * writes, and none for an idle lease. Races:
 * - A report is late, because its response was lost and later ones were sent. Each row contains the number of its last
 *   report, and PostgreSQL compares it again after it has waited for the row.
 * - Other processes return the unspent calls of this process, which they take for dead. The row remains for a day, and
 *   its calls count even if they are more than `granted`.
 * - A grant, a return or the closing of a lease runs at the same time. The process excludes users with such a statement,
 *   because two statements that lock the same leases in different orders would deadlock.
 */
export const reports = (leases: readonly LeaseReport[], number: number): Prisma.Sql => Prisma.sql`
  UPDATE lease l SET report = ${number}::int, spent = r.spent, details = string_to_array(r.details, ' ')::int[]
  FROM (SELECT process, user_key, ${KEY_DATES}, spent, details
    FROM unnest(${keyColumns(leases)},
      ${arrayOf(
        'int',
        leases.map(({ spent }) => spent),
      )},
      ${arrayOf(
        'text',
        leases.map(({ details }) => details || 'NULL'),
      )}) AS r(process, user_key, start_ms, date_ms, spent, details)) r
  WHERE l.user_key = r.user_key AND l.process = r.process AND l.period_start = r.period_start AND l.date = r.date
    AND l.report < ${number}::int`;
