import { limitOf } from '#accounts/usage/period-limit-store';
import { Prisma } from '#generated/prisma/client';
import { RECALL_SECONDS } from './lease.ts';
import { LEASE_SECONDS, RECLAIM_SECONDS, ROW_OUTLIVES } from './lease-group-store.ts';
import { columnOf, detailsOf, type LeaseReport, placesOf } from './lease-report-store.ts';

/** SQL: how much later than the lease its row expires, in seconds. `group` is the column with the lease's group. */
const outlives = (group: string) =>
  Prisma.sql`CASE WHEN ${Prisma.raw(group)} IS NULL THEN 0 ELSE ${ROW_OUTLIVES}::float8 END`;

/** SQL: when the row of a lease expires that is written now. */
export const rowExpiry = (group: string): Prisma.Sql =>
  Prisma.sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::float8 + ${outlives(group)})`;

/** SQL: whether a lease `l` may be reclaimed, as far as its row shows. */
const HAS_LAPSED = Prisma.sql`(NOT l.closed OR l.unbooked <> 0 OR l.resting <> 0 OR l.group_id IS NOT NULL)
  AND l.expires_at < clock_timestamp() - make_interval(secs => ${RECLAIM_SECONDS}::float8 - ${outlives('l.group_id')})`;

/**
 * SQL: the calls that `rows` book, by key and path. All of `to_book` counts for the key and path of the lease's first
 * call, except the calls that its other details have gained. So the sums over keys and paths are what `usage_day` gains.
 */
const detailsToBook = (rows: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT user_key, date, key_id, path, to_book AS calls FROM (${rows}) r
  UNION ALL SELECT user_key, date, d.key_id, d.path, d.calls FROM (${rows}) r
    CROSS JOIN LATERAL (SELECT details AS list, 1 AS sign UNION ALL SELECT booked_details, -1) AS total
    CROSS JOIN LATERAL generate_series(1, cardinality(list), 3) AS i
    CROSS JOIN LATERAL (VALUES (list[i], list[i + 1], sign * list[i + 2]), (r.key_id, r.path, -sign * list[i + 2]))
      AS d(key_id, path, calls)
  WHERE list IS NOT NULL`;

/**
 * Books spent calls; extends, closes, reclaims and grants leases; and inserts the usage row of a new period. Returns
 * the states as `StateColumns`. A lease whose period another process opened at the same moment has no state and must be
 * sent again. Races:
 * - Two processes want the last calls: the `usage` row is locked before anything is computed from it. Adding up leases
 * instead would grant too many calls, because leases are read from a snapshot older than the lock. Rows are locked in
 * order of user and period, to prevent deadlocks.
 * - Two processes open a period: the row is inserted with its grant. The losing process's grant is dropped.
 * - Calls rest in another process: they are counted in the usage row, under its lock. If a settlement can grant nothing
 * while some calls rest, it marks the user as changed. At its next poll, every process returns the resting calls that
 * it holds for the user.
 * - A call costs several calls: all of them are granted, or none. If leases hold the difference, the user is marked as
 * changed and leases in use are put to rest, so that two such calls do not each keep a part.
 * - A response is lost: reports contain totals, so they can be repeated, and `seq` keeps a delayed one from undoing a
 * later one.
 * - A holder is cut off: its lease is reclaimed only `RECLAIM_SECONDS` after it expired, and not by a process that
 * recently failed to reach the database itself (`mayReclaim`). A late report is booked even past the limit, because the
 * closed row contains the settled calls. A lease whose row was deleted counts as closed. A locked lease is not
 * reclaimed: its holder is reporting it. An older release knows neither `unbooked` nor `resting` and leaves their
 * values in a lease that it closes. Such a lease is reclaimed like an open one.
 * - A failover lost the registration of a user who still calls (`lim` is null): nothing is granted or booked. A violated
 * foreign key would fail the reports of all users in the statement.
 *
 * The planner cannot estimate the number of reported leases. So each step adds columns to the rows of the previous
 * step, and joins only tables, by their keys.
 * @param mayReclaim whether lapsed leases of other processes are reclaimed
 * @param restingPart one in this many of a period's remaining calls may rest
 */
export const settlement = (
  reports: readonly LeaseReport[],
  restingPart: number,
  mayReclaim: boolean,
): Prisma.Sql => Prisma.sql`
  WITH report AS MATERIALIZED ( -- the reports, one row each
    SELECT n::int, id, user_key, to_timestamp(period_start / 1000.0) AS period_start,
      (to_timestamp(date / 1000.0) AT TIME ZONE 'UTC')::date AS date, spent, settled, want, need, seq, close, rest,
      group_id, group_seq, slot, key_id, path, string_to_array(details, ' ')::int[] AS details
    FROM unnest(${columnOf(reports, 'uuid', ({ id }) => id)},
      ${columnOf(reports, 'int', ({ userKey }) => userKey)},
      ${columnOf(reports, 'bigint', ({ periodStart }) => periodStart)},
      ${columnOf(reports, 'bigint', ({ date }) => date)}, ${columnOf(reports, 'int', ({ spent }) => spent)},
      ${columnOf(reports, 'int', ({ settled }) => settled)}, ${columnOf(reports, 'int', ({ want }) => want)},
      ${columnOf(reports, 'int', ({ need }) => need)}, ${columnOf(reports, 'int', ({ seq }) => seq)},
      ${columnOf(reports, 'bool', ({ close }) => close)}, ${columnOf(reports, 'int', ({ rest }) => rest)}, ${placesOf(reports)},
      ${detailsOf(reports)})
      WITH ORDINALITY AS r(id, user_key, period_start, date, spent, settled, want, need, seq, close, rest, group_id, group_seq,
        slot, key_id, path, details, n)),
  locked AS MATERIALIZED ( -- each report with its usage row, which is locked
    SELECT r.*, u.user_key IS NULL AS is_first, coalesce(u.used, 0) AS used, coalesce(u.outstanding, 0) AS outstanding,
      coalesce(u.resting, 0) AS resting,
      ${limitOf('u', 'r.user_key')} AS lim
    FROM (SELECT * FROM report ORDER BY user_key, period_start) r LEFT JOIN LATERAL (SELECT * FROM usage
      WHERE usage.user_key = r.user_key AND usage.period_start = r.period_start FOR UPDATE) u ON true),
  other AS MATERIALIZED ( -- leases of other processes that may be reclaimed unless their groups are reported
    SELECT l.id, l.group_id FROM lease l JOIN (SELECT DISTINCT user_key, period_start FROM locked WHERE NOT is_first) k
      USING (user_key, period_start)
    WHERE ${HAS_LAPSED} AND l.id NOT IN (SELECT id FROM report) AND ${mayReclaim}::boolean),
  lapsed_group AS MATERIALIZED ( -- groups that are no longer reported, locked
    SELECT id, seq, spent, details FROM lease_group
    WHERE id IN (SELECT group_id FROM other)
      AND (closed OR expires_at < clock_timestamp() - make_interval(secs => ${RECLAIM_SECONDS}::float8))
    FOR UPDATE SKIP LOCKED),
  lapsed AS MATERIALIZED ( -- the leases without a reported group, locked
    SELECT l.id, l.date, now_spent, now_details, l.details AS booked_details, l.resting,
      l.unbooked + now_spent - l.spent AS to_book,
      l.unbooked + CASE WHEN l.closed THEN 0 ELSE l.granted - l.spent END AS held
    FROM other o JOIN lease l USING (id) LEFT JOIN lapsed_group g ON g.id = o.group_id
      CROSS JOIN LATERAL (
        SELECT CASE WHEN is_reported THEN g.spent[l.slot] ELSE l.spent END AS now_spent, CASE WHEN is_reported
            THEN string_to_array(nullif(split_part(g.details, ';', l.slot), ''), ' ')::int[] ELSE l.details END AS now_details
        FROM (SELECT coalesce(g.seq > l.group_seq AND g.spent[l.slot] IS NOT NULL, false) AS is_reported) r) f
    WHERE ${HAS_LAPSED} AND l.group_id IS NOT DISTINCT FROM o.group_id
      AND (g.id IS NOT NULL OR NOT EXISTS (SELECT FROM lease_group WHERE id = o.group_id))
    FOR UPDATE OF l SKIP LOCKED),
  reclaimed AS ( -- the lapsed leases are closed
    UPDATE lease l SET closed = true, spent = now_spent, details = now_details, unbooked = 0, resting = 0, group_id = NULL
    FROM lapsed WHERE l.id = lapsed.id
    RETURNING l.user_key, l.period_start, lapsed.date, lapsed.held, lapsed.to_book, lapsed.resting, l.key_id, l.path,
      now_details AS details, booked_details),
  ended AS ( -- their groups are closed
    UPDATE lease_group SET closed = true WHERE id IN (SELECT id FROM lapsed_group) AND NOT closed),
  change AS MATERIALIZED ( -- what each report changes about its lease
    SELECT k.*, is_new, stays_open, l.details AS booked_details, coalesce(l.granted, 0) AS held,
      CASE WHEN is_new AND k.settled = 0 OR k.seq > l.seq THEN k.details ELSE l.details END AS now_details, coalesce(l.resting, 0) AS rested,
      CASE WHEN is_new OR k.seq > l.seq THEN k.spent ELSE l.spent END AS now_spent,
      CASE WHEN stays_open AND k.want = 0 THEN coalesce(l.resting, 0) ELSE 0 END AS rests_on,
      CASE WHEN NOT l.closed AND NOT stays_open THEN least(k.rest, l.granted - k.spent) ELSE 0 END AS may_rest,
      coalesce(l.unbooked, 0)
        + CASE WHEN is_new THEN k.spent - k.settled WHEN k.seq > l.seq THEN k.spent - l.spent ELSE 0 END
        AS to_book,
      coalesce(l.unbooked, 0) + CASE WHEN l.closed THEN 0 ELSE coalesce(l.granted - l.spent, 0) END AS held_before,
      CASE WHEN k.seq <= l.seq THEN l.group_id ELSE k.group_id END AS in_group,
      CASE WHEN k.seq <= l.seq THEN l.group_seq ELSE k.group_seq END AS in_seq,
      CASE WHEN k.seq <= l.seq THEN l.slot ELSE k.slot END AS in_slot
    FROM locked k LEFT JOIN LATERAL (SELECT * FROM lease WHERE lease.id = k.id FOR UPDATE) l ON true
      CROSS JOIN LATERAL (SELECT l.id IS NULL AS is_new, NOT coalesce(l.closed, k.spent > 0 OR k.settled > 0)
        AND NOT (k.close AND (l.id IS NULL OR k.seq > l.seq)) AS stays_open) f),
  total AS MATERIALIZED ( -- the period sums of each report after these changes
    SELECT c.*, (c.used + coalesce(d.to_book, 0) + sum(c.to_book) OVER period)::int AS used_now,
      (c.outstanding - coalesce(d.held, 0)
        + sum(CASE WHEN stays_open THEN c.held - now_spent ELSE 0 END - held_before) OVER period)::int AS held_now,
      (c.resting - coalesce(d.resting, 0) + sum(rests_on - rested) OVER period)::int AS resting_now
    FROM change c LEFT JOIN (SELECT user_key, period_start, sum(held) AS held, sum(to_book) AS to_book,
        sum(resting) AS resting
      FROM reclaimed GROUP BY 1, 2) d USING (user_key, period_start)
    WINDOW period AS (PARTITION BY user_key, period_start)),
  amounts AS MATERIALIZED ( -- how many calls each lease is granted, or keeps at rest
    SELECT t.*, left_before,
      CASE WHEN stays_open AND lacks <= left_before
        THEN greatest(0, least(want - held, greatest(lacks, ceil(left_before / 4.0)::int))) ELSE 0 END AS amount,
      greatest(0, least(may_rest, left_before / ${restingPart}::int - resting_now)) AS rests
    FROM total t CROSS JOIN LATERAL (SELECT lim - used_now - held_now AS left_before, now_spent + need - held AS lacks) f),
  grants AS MATERIALIZED ( -- the sums with these grants
    SELECT a.*, stays_open OR rests > 0 AS is_open, CASE WHEN rests > 0 THEN now_spent + rests ELSE held + amount END AS holds,
      (sum(amount + rests) OVER period)::int AS granted_now, (resting_now + sum(rests) OVER period)::int AS rests_now
    FROM amounts a WINDOW period AS (PARTITION BY user_key, period_start)),
  started AS ( -- the usage rows of new periods
    INSERT INTO usage (user_key, period_start, used, outstanding)
    SELECT DISTINCT ON (user_key, period_start) user_key, period_start, used_now, held_now + granted_now
    FROM grants WHERE is_first AND lim IS NOT NULL ORDER BY user_key, period_start
    ON CONFLICT DO NOTHING RETURNING user_key, period_start),
  sure AS MATERIALIZED ( -- the grants, without periods that another process opened
    SELECT *, stays_open AND want > holds AND holds - now_spent < need
      AND CASE WHEN need > 1 THEN lim - used_now >= need ELSE rests_now > 0 END AS is_recalled
    FROM grants
    WHERE NOT is_first OR lim IS NULL OR (user_key, period_start) IN (SELECT user_key, period_start FROM started)),
  booked AS ( -- the usage rows of known periods
    UPDATE usage u SET used = g.used_now, outstanding = g.held_now + g.granted_now, resting = g.rests_now
    FROM (SELECT DISTINCT ON (user_key, period_start) * FROM sure ORDER BY user_key, period_start) g
    WHERE u.user_key = g.user_key AND u.period_start = g.period_start),
  counted AS ( -- the calls of each UTC date
    INSERT INTO usage_day (user_key, date, calls)
    SELECT user_key, date, sum(calls)
    FROM (SELECT user_key, date, to_book AS calls FROM sure WHERE lim IS NOT NULL
      UNION ALL SELECT user_key, date, to_book FROM reclaimed) c
    GROUP BY 1, 2 HAVING sum(calls) <> 0 ORDER BY 1, 2
    ON CONFLICT (user_key, date) DO UPDATE SET calls = usage_day.calls + excluded.calls),
  detailed AS ( -- the same calls by key and path
    INSERT INTO usage_detail (user_key, date, key_id, path, calls)
    SELECT user_key, date, key_id, path, sum(calls) FROM (${detailsToBook(Prisma.sql`
      SELECT user_key, date, key_id, path, to_book, now_details AS details, booked_details FROM sure WHERE lim IS NOT NULL
      UNION ALL SELECT user_key, date, key_id, path, to_book, details, booked_details FROM reclaimed`)}) c
    WHERE key_id IS NOT NULL GROUP BY 1, 2, 3, 4 HAVING sum(calls) <> 0 ORDER BY 1, 2, 3, 4
    ON CONFLICT (user_key, date, key_id, path) DO UPDATE SET calls = usage_detail.calls + excluded.calls),
  kept AS ( -- the existing leases
    UPDATE lease l SET spent = g.now_spent, details = g.now_details, unbooked = 0, granted = g.holds, resting = g.rests + g.rests_on,
      seq = greatest(l.seq, g.seq), closed = NOT g.is_open,
      expires_at = CASE WHEN g.is_open THEN ${rowExpiry('in_group')} ELSE l.expires_at END,
      group_id = CASE WHEN g.is_open THEN in_group END, group_seq = in_seq, slot = in_slot
    FROM sure g WHERE l.id = g.id),
  opened AS ( -- the new leases
    INSERT INTO lease (id, user_key, period_start, date, granted, spent, seq, group_id, group_seq, slot, key_id, path,
      details, expires_at)
    SELECT id, user_key, period_start, date, amount, now_spent, seq, in_group, in_seq, in_slot, key_id, path, now_details,
      ${rowExpiry('in_group')}
    FROM sure WHERE is_new AND amount > 0),
  asked_for AS ( -- users whose calls other processes should return
    UPDATE "user" SET changed_at = clock_timestamp() WHERE key IN (SELECT user_key FROM sure WHERE is_recalled))
  SELECT json_agg(n)::text AS n, json_agg(holds)::text AS granted, json_agg(NOT is_open)::text AS closed,
    json_agg(coalesce(lim, 0))::text AS "limit", json_agg(coalesce(left_before - granted_now, 0))::text AS "left",
    json_agg(CASE WHEN is_recalled THEN ${RECALL_SECONDS}::float8 WHEN holds - now_spent >= need OR need > 1 THEN NULL
      ELSE (SELECT extract(epoch FROM min(l.expires_at) - clock_timestamp())
        + ${RECLAIM_SECONDS}::float8 FROM reported_lease l WHERE l.user_key = g.user_key
        AND l.period_start = g.period_start AND NOT l.closed AND l.granted > l.spent
        AND l.id NOT IN (SELECT id FROM report)) END)::text AS "reclaimableIn"
  FROM sure g`;
