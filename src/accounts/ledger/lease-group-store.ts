import { arrayOf } from '#database/values';
import { Prisma } from '#generated/prisma/client';
import type { GroupReport } from './lease-report-store.ts';

/** How long a lease lives after its last report, and how long after that any process may reclaim it. */
export const LEASE_SECONDS = 20;
export const RECLAIM_SECONDS = 10;
/**
 * How much later the row of a lease in a group expires than the lease. Earlier releases know only this row, so they
 * reclaim the lease of a dead process within 15 minutes. The view `reported_lease` contains the same number.
 */
export const ROW_OUTLIVES = 880;

/**
 * Records the spent calls of groups of leases that neither need calls nor return any, and extends the leases. Returns
 * the numbers of the reports whose groups are not closed, as a JSON list. The calls remain in the group until each lease
 * is settled or reclaimed. The remaining calls of the period do not change, because the grant has already taken these
 * calls. So one row for up to 64 leases is written instead of three for each, and no lease and no usage row is touched.
 * `ON CONFLICT DO UPDATE` would write 60 more bytes of WAL per row, for its lock.
 * Races:
 * - Only the process of a group reports it, one statement at a time. If a statement fails or times out, the process
 * assigns its leases to other groups, so a statement that is still running shares no row with a later one. `seq` keeps
 * a delayed report from undoing a later one.
 * - A settlement of another process reclaims a lease of the group. It locks the group, reads the reported calls and
 * closes the group. A report that waited for this lock changes nothing and is not among the returned numbers.
 */
export const heartbeats = (reports: readonly GroupReport[]): Prisma.Sql => Prisma.sql`
  WITH report AS MATERIALIZED (
    SELECT n, id, seq, string_to_array(spent, ' ')::int[] AS spent, details
    FROM unnest(
      ${arrayOf(
        'uuid',
        reports.map(({ id }) => id),
      )},
      ${arrayOf(
        'int',
        reports.map(({ seq }) => seq),
      )},
      ${arrayOf(
        'text',
        reports.map(({ spent }) => spent.join(' ')),
      )},
      ${arrayOf(
        'text',
        reports.map(({ details }) => details?.join(';') ?? 'NULL'),
      )})
      WITH ORDINALITY AS r(id, seq, spent, details, n)),
  updated AS (
    UPDATE lease_group g SET seq = r.seq, spent = r.spent, details = r.details,
      expires_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::float8)
    FROM report r WHERE g.id = r.id AND NOT g.closed AND r.seq > g.seq
    RETURNING g.id),
  added AS (
    INSERT INTO lease_group (id, seq, spent, details, expires_at)
    SELECT id, seq, spent, details, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::float8)
    FROM report r WHERE NOT EXISTS (SELECT FROM lease_group g WHERE g.id = r.id)
    ON CONFLICT DO NOTHING RETURNING id)
  SELECT json_agg(n)::text AS n FROM report WHERE id IN (SELECT id FROM updated UNION ALL SELECT id FROM added)`;
