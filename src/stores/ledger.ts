import type { PrismaClient } from '../generated/prisma/client.ts';

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
  id: string;
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

const iso = (ms: number) => new Date(ms).toISOString();

/** The rows of `Usage`, `Lease` and `UsageDay`: how many calls were spent, and who may spend how many more. */
/** @param counted told of each statement that settles leases */
export function createLedgerStore(prisma: PrismaClient, counted: () => void = () => undefined) {
  /**
   * Settles, extends, closes and grants leases, in one statement.
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
   */
  async function settle(reports: readonly LeaseReport[]): Promise<LeaseState[]> {
    const given = JSON.stringify(
      reports.map(({ userKey, periodStart, date, ...report }) => ({
        ...report,
        user_key: userKey,
        period_start: iso(periodStart),
        date: iso(date).slice(0, 10),
      })),
    );
    counted();
    const rows = await prisma.$queryRaw<{ states: LeaseState[] | null }[]>`
      WITH report AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${given}::json) AS r(id uuid, user_key int, period_start timestamptz,
          date date, spent int, settled int, want int, seq int, close boolean)),
      locked AS MATERIALIZED (
        SELECT u.user_key, u.period_start, u.used, u.outstanding FROM usage u
        WHERE (u.user_key, u.period_start) IN (SELECT user_key, period_start FROM report)
        ORDER BY u.user_key, u.period_start FOR UPDATE),
      lease_row AS MATERIALIZED (
        SELECT l.* FROM lease l JOIN locked USING (user_key, period_start)
        WHERE l.id IN (SELECT id FROM report) FOR UPDATE OF l),
      reclaimed AS (
        UPDATE lease l SET closed = true FROM locked
        WHERE l.user_key = locked.user_key AND l.period_start = locked.period_start AND NOT l.closed
          AND l.id NOT IN (SELECT id FROM report)
          AND l.expires_at < clock_timestamp() - make_interval(secs => ${RECLAIM_SECONDS}::float8)
          AND pg_postmaster_start_time() < clock_timestamp() - make_interval(secs => ${RECLAIM_SECONDS}::float8)
        RETURNING l.user_key, l.period_start, l.granted - l.spent AS unspent),
      change AS MATERIALIZED (
        SELECT r.id, r.user_key, r.period_start, r.date, r.want, r.seq, l.id IS NULL AS is_new,
          NOT coalesce(l.closed, r.settled > 0) AND NOT (r.close AND (l.id IS NULL OR r.seq > l.seq)) AS stays_open,
          coalesce(l.granted, 0) AS held,
          CASE WHEN l.id IS NULL OR r.seq > l.seq THEN r.spent ELSE l.spent END AS spent,
          CASE WHEN l.id IS NULL THEN r.spent - r.settled WHEN r.seq > l.seq THEN r.spent - l.spent ELSE 0 END AS newly_spent,
          CASE WHEN l.closed THEN 0 ELSE coalesce(l.granted - l.spent, 0) END AS held_before
        FROM report r LEFT JOIN lease_row l USING (id)),
      total AS MATERIALIZED (
        SELECT user_key, period_start, u.used + c.newly_spent AS used,
          u.outstanding - coalesce(d.unspent, 0) - c.held_before + c.held_after AS outstanding, usr."limit" AS lim
        FROM locked u
        JOIN (SELECT user_key, period_start, sum(newly_spent)::int AS newly_spent,
            sum(held_before)::int AS held_before,
            sum(CASE WHEN stays_open THEN held - spent ELSE 0 END)::int AS held_after
          FROM change GROUP BY 1, 2) c USING (user_key, period_start)
        LEFT JOIN (SELECT user_key, period_start, sum(unspent)::int AS unspent
          FROM reclaimed GROUP BY 1, 2) d USING (user_key, period_start)
        JOIN "user" usr ON usr.key = u.user_key),
      grants AS MATERIALIZED (
        SELECT c.*, s.lim, s.lim - s.used - s.outstanding AS left_before,
          CASE WHEN c.stays_open THEN greatest(0, least(c.want - c.held,
            ceil((s.lim - s.used - s.outstanding) / 4.0)::int)) ELSE 0 END AS amount
        FROM change c JOIN total s USING (user_key, period_start)),
      booked AS (
        UPDATE usage u SET used = s.used, outstanding = s.outstanding + g.amount
        FROM total s JOIN (SELECT user_key, period_start, sum(amount)::int AS amount FROM grants GROUP BY 1, 2) g
          USING (user_key, period_start)
        WHERE u.user_key = s.user_key AND u.period_start = s.period_start),
      counted AS (
        INSERT INTO usage_day (user_key, date, calls)
        SELECT user_key, date, sum(newly_spent) FROM change GROUP BY 1, 2 HAVING sum(newly_spent) <> 0
        ON CONFLICT (user_key, date) DO UPDATE SET calls = usage_day.calls + excluded.calls),
      kept AS (
        UPDATE lease l SET spent = g.spent, granted = l.granted + g.amount, seq = greatest(l.seq, g.seq),
          closed = NOT g.stays_open, expires_at = CASE WHEN g.stays_open
            THEN clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::float8) ELSE l.expires_at END
        FROM grants g WHERE l.id = g.id),
      opened AS (
        INSERT INTO lease (id, user_key, period_start, date, granted, spent, seq, expires_at)
        SELECT id, user_key, period_start, date, amount, spent, seq,
          clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::float8)
        FROM grants WHERE is_new AND amount > 0)
      SELECT json_agg(json_build_object('id', g.id, 'granted', g.held + g.amount, 'closed', NOT g.stays_open,
        'limit', g.lim, 'left', g.left_before - a.amount, 'reclaimableIn', CASE WHEN g.held + g.amount > g.spent
          THEN NULL ELSE (SELECT extract(epoch FROM min(l.expires_at) - clock_timestamp())
            + ${RECLAIM_SECONDS}::float8 FROM lease l WHERE l.user_key = g.user_key
            AND l.period_start = g.period_start AND NOT l.closed AND l.granted > l.spent
            AND l.id NOT IN (SELECT id FROM report)) END))
        AS states
      FROM grants g JOIN (SELECT user_key, period_start, sum(amount)::int AS amount FROM grants GROUP BY 1, 2) a
        USING (user_key, period_start)`;
    return rows[0]?.states ?? [];
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
