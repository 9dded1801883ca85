import { randomUUID } from 'node:crypto';
import { createCountsStatement } from '#accounts/usage/counts-store';
import { limitOf } from '#accounts/usage/period-limit-store';
import { startOfDate } from '#core/clock';
import { traced } from '#core/tracing';
import type { Database } from '#database/database';
import { Prisma } from '#generated/prisma/client';
import { heartbeats } from './lease-group-store.ts';
import {
  columnOf,
  detailsOf,
  type GroupReport,
  type LeaseReport,
  type LeaseState,
  placesOf,
  type StateColumns,
  statesOf,
} from './lease-report-store.ts';
import { rowExpiry, settlement } from './settlement-store.ts';

/**
 * Grants each new lease all requested calls, or none. Returns the granted leases as `StateColumns`. The settlement
 * handles the others. A user's first call waits only for this statement: the settlement takes PostgreSQL several times
 * as long, mostly for planning. Race: the statement inserts the `usage` row, or locks and rereads it, before it
 * compares the requested calls with a fourth of the remaining calls. So two processes cannot be granted the same calls.
 * Rows are locked in order of user and period, to prevent deadlocks.
 */
const firstGrants = (reports: readonly LeaseReport[]): Prisma.Sql => Prisma.sql`
  WITH report AS MATERIALIZED (
    SELECT n, id, r.user_key, to_timestamp(period_start / 1000.0) AS period_start,
      (to_timestamp(date / 1000.0) AT TIME ZONE 'UTC')::date AS date, want, seq, group_id, group_seq, slot,
      key_id, path, "limit"
    FROM unnest(${columnOf(reports, 'uuid', ({ id }) => id)},
      ${columnOf(reports, 'int', ({ userKey }) => userKey)},
      ${columnOf(reports, 'bigint', ({ periodStart }) => periodStart)},
      ${columnOf(reports, 'bigint', ({ date }) => date)}, ${columnOf(reports, 'int', ({ want }) => want)},
      ${columnOf(reports, 'int', ({ seq }) => seq)}, ${placesOf(reports)}, ${detailsOf(reports)})
      WITH ORDINALITY AS r(id, user_key, period_start, date, want, seq, group_id, group_seq, slot, key_id, path, details, n)
      JOIN "user" ON "user".key = r.user_key),
  held AS (
    INSERT INTO usage (user_key, period_start, used, outstanding)
    SELECT user_key, period_start, 0, want FROM report WHERE "limit" >= 4 * want ORDER BY user_key, period_start
    ON CONFLICT (user_key, period_start) DO UPDATE SET outstanding = usage.outstanding + excluded.outstanding
    WHERE ${limitOf('usage', 'usage.user_key')} - usage.used - usage.outstanding >= 4 * excluded.outstanding
    RETURNING user_key, period_start, used + outstanding AS taken, ${limitOf('usage', 'usage.user_key')} AS lim),
  granted AS MATERIALIZED (SELECT * FROM report JOIN held USING (user_key, period_start)),
  opened AS (
    INSERT INTO lease (id, user_key, period_start, date, granted, spent, seq, group_id, group_seq, slot, key_id, path,
      expires_at)
    SELECT id, user_key, period_start, date, want, 0, seq, group_id, group_seq, slot, key_id, path,
      ${rowExpiry('group_id')}
    FROM granted)
  SELECT json_agg(n)::text AS n, json_agg(want)::text AS granted, json_agg(false)::text AS closed,
    json_agg(lim)::text AS "limit", json_agg(lim - taken)::text AS "left",
    json_agg(NULL::int)::text AS "reclaimableIn"
  FROM granted`;

export type { GroupReport, LeaseReport, LeaseState } from './lease-report-store.ts';

/** One in this many of a period's remaining calls may rest with idle users. */
const RESTING_PART = 1000;
/** Maximum number of user periods whose expired leases one statement closes. */
const TIDIED_AT_ONCE = 1000;

/** A report without a lease. Settling it only reclaims the expired leases of a user and period. */
const reclaimOnly = (userKey: number, periodStart: number): LeaseReport => {
  const none = { spent: 0, settled: 0, want: 0, need: 0, seq: 1, close: true, rest: 0, place: null };
  return { id: randomUUID(), userKey, periodStart, date: startOfDate(periodStart), ...none };
};

/**
 * @param counted called for each statement that reports leases
 * @param restingPart idle leases may keep one in this many of a period's remaining calls
 */
export function createLedgerStore(
  { prisma, query }: Pick<Database, 'prisma' | 'query'>,
  counted: () => void = () => undefined,
  restingPart = RESTING_PART,
) {
  function reporting<Row>(name: string, leases: number, statement: Prisma.Sql): Promise<Row[]> {
    counted();
    return traced(`ledger ${name}`, { 'quotient.leases': leases }, () => query<Row>(statement));
  }

  const reported =
    (name: string, statement: (reports: readonly LeaseReport[], mayReclaim: boolean) => Prisma.Sql) =>
    async (reports: readonly LeaseReport[], mayReclaim = true): Promise<(LeaseState | undefined)[]> => {
      const [columns] = await reporting<StateColumns>(name, reports.length, statement(reports, mayReclaim));
      return statesOf(columns, reports.length);
    };

  const settle = reported('settlement', (reports, mayReclaim) => settlement(reports, restingPart, mayReclaim));

  return {
    ...createCountsStatement(prisma),

    /** Reports groups and extends their leases. Returns the numbers (from 0) of the groups that are not closed. */
    async heartbeat(reports: readonly GroupReport[]): Promise<ReadonlySet<number>> {
      const leases = reports.reduce((sum, { spent }) => sum + spent.length, 0);
      const [row] = await reporting<{ n: string | null }>('heartbeat', leases, heartbeats(reports));
      return new Set((JSON.parse(row?.n ?? '[]') as number[]).map((n) => n - 1));
    },

    /** Grants new leases that request at most a fourth of the period's remaining calls. Omits all other states. */
    grantFirst: reported('first grant', firstGrants),
    /** A lease without a state must be sent again, because another process opened its period at the same moment. */
    settle,

    /**
     * Closes leases whose rows expired more than an hour ago. Deletes closed leases, and groups without leases, a day
     * after they expired.
     */
    async tidy(): Promise<void> {
      const lapsed = await prisma.$queryRaw<{ userKey: number; periodStart: Date }[]>`
        SELECT DISTINCT user_key AS "userKey", period_start AS "periodStart" FROM lease
        WHERE (NOT closed OR unbooked <> 0 OR resting <> 0 OR group_id IS NOT NULL)
          AND expires_at < clock_timestamp() - interval '1 hour'
        LIMIT ${TIDIED_AT_ONCE}`;
      if (lapsed.length > 0)
        await settle(lapsed.map(({ userKey, periodStart }) => reclaimOnly(userKey, periodStart.getTime())));
      await prisma.$executeRaw`
        DELETE FROM lease
        WHERE closed AND unbooked = 0 AND resting = 0 AND group_id IS NULL
          AND expires_at < clock_timestamp() - interval '1 day'`;
      await prisma.$executeRaw`
        DELETE FROM lease_group g
        WHERE expires_at < clock_timestamp() - interval '1 day'
          AND NOT EXISTS (SELECT FROM lease WHERE group_id = g.id)`;
    },

    /** Counts the lease rows of all processes. Closed leases are stored for a day. */
    async leaseRows(): Promise<LeaseRows> {
      const [row] = await prisma.$queryRaw<[LeaseRows]>`
        SELECT (count(*) - count(*) FILTER (WHERE closed))::int AS open, (count(*) FILTER (WHERE closed))::int AS closed
        FROM lease`;
      return row;
    },
  };
}

export type LedgerStore = ReturnType<typeof createLedgerStore>;
export type LeaseRows = { open: number; closed: number };
