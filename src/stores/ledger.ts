import { iso } from '../domain/clock.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from './database.ts';

/** What a holder says of a lease. All of it is absolute, so that saying it twice is saying it once. */
export type LeaseReport = {
  id: string;
  userKey: number;
  /** Unix ms. */
  periodStart: number;
  /** The UTC date of the calls, as its midnight in Unix ms. */
  date: number;
  /** Calls spent from it so far. */
  spent: number;
  /** How many of these the ledger is known to have booked: for a lease so old that the ledger has forgotten it. */
  settled: number;
  /** How many it should hold in all, the spent ones included; 0 asks for none. */
  want: number;
  seq: number;
  /** Gives back what is unspent. */
  close: boolean;
};

/** What the ledger makes of a report. */
export type LeaseState = {
  /** 0 for a lease that was asked for and not granted. */
  granted: number;
  /** Closed by its holder, or reclaimed after it expired: nothing more may be spent from it. */
  closed: boolean;
  limit: number;
  /** What nobody has spent and nobody holds; negative when the limit was lowered below that. */
  left: number;
  /** Seconds until a lease of another holder can be reclaimed, 0 or less when it can be; null when none holds any. */
  reclaimableIn: number | null;
};

export type DayCount = { date: string; calls: number };

/** How long a lease lives unless it is reported again, and how long after that anybody may reclaim it. */
export const LEASE_SECONDS = 20;
export const RECLAIM_SECONDS = 10;

/** States as columns, each a list as JSON; `n` is the number of the report, from 1. */
type Columns = Record<'n' | keyof LeaseState, string | null>;

function statesOf(columns: Columns | undefined, reported: number): (LeaseState | undefined)[] {
  const list = <Value>(name: keyof Columns) => JSON.parse(columns?.[name] ?? '[]') as Value[];
  const [granted, closed, limit] = [list<number>('granted'), list<boolean>('closed'), list<number>('limit')];
  const [left, reclaimableIn] = [list<number>('left'), list<number | null>('reclaimableIn')];
  const states: (LeaseState | undefined)[] = Array.from({ length: reported });
  list<number>('n').forEach((n, i) => {
    states[n - 1] = {
      granted: granted[i] as number,
      closed: closed[i] as boolean,
      limit: limit[i] as number,
      left: left[i] as number,
      reclaimableIn: reclaimableIn[i] as number | null,
    };
  });
  return states;
}

/** The rows of `Usage`, `Lease` and `UsageDay`: how many calls were spent, and who may spend how many more. */
/** @param counted told of each statement that settles leases */
export function createLedgerStore(
  { prisma, query }: Pick<Database, 'prisma' | 'query'>,
  counted: () => void = () => undefined,
) {
  /**
   * Settles, extends, closes and grants leases, in one statement; gives the state of each in the place of its report,
   * and nothing there where its period has no row yet.
   *
   * Races it settles:
   * - The `usage` row of a user and period is locked before anything is computed from it, so two processes cannot
   *   both be granted the last calls. (Adding up other processes' leases instead over-grants: they are read from
   *   a snapshot that is older than the lock.) Rows are locked in order of user and period, against deadlocks, and
   *   a lease is only ever locked by who has locked its usage row.
   * - A report carries totals, not differences: one whose answer was lost can be sent again, and `seq` keeps one
   *   that was held up from undoing a later one.
   * - A lease is reclaimed only `RECLAIM_SECONDS` after its life, and not so soon after the server's start: a
   *   holder that was merely cut off settles first. What it settles later is booked all the same, even past the
   *   limit; the closed row remembers how much it had settled.
   *
   * Ten thousand leases a second go through it, and the planner knows nothing of how many a report holds: so each
   * step adds columns to the rows of the one before, and joins are to tables, by their keys. Reports and states
   * travel as columns: as rows they were megabytes a second.
   */
  async function settle(reports: readonly LeaseReport[]): Promise<(LeaseState | undefined)[]> {
    const column = (of: (report: LeaseReport) => string | number | boolean) => `{${reports.map(of).join()}}`;
    counted();
    const [row] = await query<Columns>(Prisma.sql`
      WITH report AS MATERIALIZED (
        SELECT n::int, id, user_key, to_timestamp(period_start / 1000.0) AS period_start,
          (to_timestamp(date / 1000.0) AT TIME ZONE 'UTC')::date AS date, spent, settled, want, seq, close
        FROM unnest(${column(({ id }) => id)}::uuid[], ${column(({ userKey }) => userKey)}::int[],
          ${column(({ periodStart }) => periodStart)}::bigint[], ${column(({ date }) => date)}::bigint[],
          ${column(({ spent }) => spent)}::int[], ${column(({ settled }) => settled)}::int[],
          ${column(({ want }) => want)}::int[], ${column(({ seq }) => seq)}::int[],
          ${column(({ close }) => close)}::bool[])
          WITH ORDINALITY AS r(id, user_key, period_start, date, spent, settled, want, seq, close, n)),
      locked AS MATERIALIZED (
        SELECT r.*, u.used, u.outstanding, usr."limit" AS lim
        FROM report r JOIN usage u USING (user_key, period_start) JOIN "user" usr ON usr.key = r.user_key
        ORDER BY r.user_key, r.period_start FOR UPDATE OF u),
      reclaimed AS (
        UPDATE lease l SET closed = true FROM locked
        WHERE l.user_key = locked.user_key AND l.period_start = locked.period_start AND NOT l.closed
          AND l.id NOT IN (SELECT id FROM report)
          AND l.expires_at < clock_timestamp() - make_interval(secs => ${RECLAIM_SECONDS}::float8)
          AND pg_postmaster_start_time() < clock_timestamp() - make_interval(secs => ${RECLAIM_SECONDS}::float8)
        RETURNING l.user_key, l.period_start, l.granted - l.spent AS unspent),
      change AS MATERIALIZED (
        SELECT k.*, l.id IS NULL AS is_new, coalesce(l.granted, 0) AS held,
          NOT coalesce(l.closed, k.settled > 0) AND NOT (k.close AND (l.id IS NULL OR k.seq > l.seq)) AS stays_open,
          CASE WHEN l.id IS NULL OR k.seq > l.seq THEN k.spent ELSE l.spent END AS now_spent,
          CASE WHEN l.id IS NULL THEN k.spent - k.settled WHEN k.seq > l.seq THEN k.spent - l.spent ELSE 0 END
            AS newly_spent,
          CASE WHEN l.closed THEN 0 ELSE coalesce(l.granted - l.spent, 0) END AS held_before
        FROM locked k LEFT JOIN LATERAL (SELECT * FROM lease WHERE lease.id = k.id FOR UPDATE) l ON true),
      total AS MATERIALIZED (
        SELECT c.*, (c.used + sum(newly_spent) OVER period)::int AS used_now,
          (c.outstanding - coalesce(d.unspent, 0)
            + sum(CASE WHEN stays_open THEN held - now_spent ELSE 0 END - held_before) OVER period)::int AS held_now
        FROM change c LEFT JOIN (SELECT user_key, period_start, sum(unspent) AS unspent FROM reclaimed GROUP BY 1, 2) d
          USING (user_key, period_start)
        WINDOW period AS (PARTITION BY user_key, period_start)),
      amounts AS MATERIALIZED (
        SELECT t.*, lim - used_now - held_now AS left_before,
          CASE WHEN stays_open THEN greatest(0, least(want - held, ceil((lim - used_now - held_now) / 4.0)::int))
            ELSE 0 END AS amount
        FROM total t),
      grants AS MATERIALIZED (
        SELECT a.*, (sum(amount) OVER (PARTITION BY user_key, period_start))::int AS granted_now FROM amounts a),
      booked AS (
        UPDATE usage u SET used = g.used_now, outstanding = g.held_now + g.granted_now
        FROM (SELECT DISTINCT ON (user_key, period_start) * FROM grants ORDER BY user_key, period_start) g
        WHERE u.user_key = g.user_key AND u.period_start = g.period_start),
      counted AS (
        INSERT INTO usage_day (user_key, date, calls)
        SELECT user_key, date, sum(newly_spent) FROM change GROUP BY 1, 2 HAVING sum(newly_spent) <> 0
        ON CONFLICT (user_key, date) DO UPDATE SET calls = usage_day.calls + excluded.calls),
      kept AS (
        UPDATE lease l SET spent = g.now_spent, granted = l.granted + g.amount, seq = greatest(l.seq, g.seq),
          closed = NOT g.stays_open, expires_at = CASE WHEN g.stays_open
            THEN clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::float8) ELSE l.expires_at END
        FROM grants g WHERE l.id = g.id),
      opened AS (
        INSERT INTO lease (id, user_key, period_start, date, granted, spent, seq, expires_at)
        SELECT id, user_key, period_start, date, amount, now_spent, seq,
          clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::float8)
        FROM grants WHERE is_new AND amount > 0)
      SELECT json_agg(n)::text AS n, json_agg(held + amount)::text AS granted, json_agg(NOT stays_open)::text AS closed,
        json_agg(lim)::text AS "limit", json_agg(left_before - granted_now)::text AS "left",
        json_agg(CASE WHEN held + amount > now_spent
          THEN NULL ELSE (SELECT extract(epoch FROM min(l.expires_at) - clock_timestamp())
            + ${RECLAIM_SECONDS}::float8 FROM lease l WHERE l.user_key = g.user_key
            AND l.period_start = g.period_start AND NOT l.closed AND l.granted > l.spent
            AND l.id NOT IN (SELECT id FROM report)) END)::text AS "reclaimableIn"
      FROM grants g`);
    return statesOf(row, reports.length);
  }

  return {
    settle,

    /** Makes the rows that `settle` locks, where they are not there yet. */
    async open(periods: readonly { userKey: number; periodStart: number }[]): Promise<void> {
      const given = periods.map(({ userKey, periodStart }) => ({
        user_key: userKey,
        period_start: iso(periodStart),
      }));
      await prisma.$executeRaw`
        INSERT INTO usage (user_key, period_start)
        SELECT user_key, period_start FROM json_to_recordset(${JSON.stringify(given)}::json)
          AS r(user_key int, period_start timestamptz) ORDER BY 1, 2
        ON CONFLICT DO NOTHING`;
    },

    /** Calls settled in a period that starts at an instant (Unix ms). */
    async used(userKey: number, periodStart: number): Promise<number> {
      const row = await prisma.usage.findUnique({
        where: { userKey_periodStart: { userKey, periodStart: new Date(periodStart) } },
      });
      return row?.used ?? 0;
    },

    /** Calls settled by UTC date, the newest first. */
    async days(userKey: number, newest: number): Promise<DayCount[]> {
      const rows = await prisma.usageDay.findMany({
        where: { userKey, calls: { gt: 0 } },
        orderBy: { date: 'desc' },
        take: newest,
      });
      return rows.map(({ date, calls }) => ({ date: date.toISOString().slice(0, 10), calls }));
    },

    /** Forgets closed leases whose last word came long ago. */
    async forgetClosed(): Promise<void> {
      await prisma.$executeRaw`
        DELETE FROM lease WHERE closed AND expires_at < clock_timestamp() - interval '1 day'`;
    },
  };
}

export type LedgerStore = ReturnType<typeof createLedgerStore>;
