import { randomUUID } from 'node:crypto';
import { startOfDate } from '#domain/market/interval';
import type { Prisma } from '#generated/prisma/client';
import type { Database } from '#stores/database/database';
import { firstGrants } from './first-grants.ts';
import { type LeaseReport, type LeaseState, type StateColumns, statesOf } from './lease-reports.ts';
import { heartbeats, settlement } from './settlement.ts';

export type { LeaseReport, LeaseState } from './lease-reports.ts';

export type DayCount = { date: string; calls: number };
export type Counts = { used: number; days: DayCount[]; spent: Record<string, number> };

/** Of what is left of a period this part may rest with keys that are idle. */
const RESTING_PART = 1000;

/** Users and periods whose lapsed leases are closed in one go. */
const TIDIED_AT_ONCE = 1000;

/** A report that holds nothing and wants nothing: it has what lapsed of a user and period reclaimed. */
const nothing = (userKey: number, periodStart: number): LeaseReport => {
  const none = { spent: 0, settled: 0, want: 0, seq: 1, close: true, rest: 0 };
  return { id: randomUUID(), userKey, periodStart, date: startOfDate(periodStart), ...none };
};

/** The state of each report, in its place; undefined where there is none. */
export type LeaseStates = (LeaseState | undefined)[];

/**
 * The rows of `Usage`, `Lease` and `UsageDay`: how many calls were spent, and who may spend how many more.
 * @param counted told of each statement that reports leases
 * @param restingPart a thousandth of what is left may rest, unless it is told otherwise
 */
export function createLedgerStore(
  { prisma, query }: Pick<Database, 'prisma' | 'query'>,
  counted: () => void = () => undefined,
  restingPart = RESTING_PART,
) {
  const reported =
    <Report>(statement: (reports: readonly Report[]) => Prisma.Sql) =>
    async (reports: readonly Report[]): Promise<LeaseStates> => {
      counted();
      const [columns] = await query<StateColumns>(statement(reports));
      return statesOf(columns, reports.length);
    };

  const settle = reported((reports: readonly LeaseReport[]) => settlement(reports, restingPart));

  return {
    /**
     * Notes what was spent from leases of which nothing is wanted and nothing given back, and lets them live on; there
     * is no state of one that is not open any more, or is not known.
     */
    heartbeat: reported(heartbeats),

    /**
     * Grants new leases all that is wanted, where that is at most a fourth of what is left of the period; there is no
     * state of the others.
     */
    open: reported(firstGrants),

    /**
     * Books, extends, closes, puts to rest and grants leases; there is no state of one that is to be sent again, since
     * somebody else opened its period at the same moment.
     */
    settle,

    /**
     * What is settled, of one moment: calls of a period that starts at an instant (Unix ms), calls of the newest UTC
     * dates that have any, and the calls spent from each of the user's open leases and of those named, by their ids in
     * 32 hexadecimal digits.
     */
    async counts(
      userKey: number,
      periodStart: number,
      leases: readonly string[],
      newest: number,
    ): Promise<Counts> {
      const start = new Date(periodStart);
      const [row] = await prisma.$queryRaw<[Counts]>`
        WITH held AS (SELECT * FROM lease WHERE user_key = ${userKey}),
        daily AS (
          SELECT to_char(date, 'YYYY-MM-DD') AS date, sum(calls)::int AS calls
          FROM (SELECT date, calls FROM usage_day WHERE user_key = ${userKey}
            UNION ALL SELECT date, unbooked FROM held) c
          GROUP BY date HAVING sum(calls) > 0 ORDER BY date DESC LIMIT ${newest})
        SELECT (coalesce((SELECT used FROM usage WHERE user_key = ${userKey} AND period_start = ${start}), 0)
            + coalesce((SELECT sum(unbooked) FROM held WHERE period_start = ${start}), 0))::int AS used,
          coalesce((SELECT json_agg(daily) FROM daily), '[]') AS days,
          coalesce((SELECT json_object_agg(encode(uuid_send(id), 'hex'), spent) FROM held
            WHERE NOT closed OR id = ANY(${leases}::uuid[])), '{}') AS spent`;
      return row;
    },

    /**
     * Closes leases that lapsed long ago and that nobody asked after since, and forgets closed ones whose last word
     * came long ago.
     */
    async tidy(): Promise<void> {
      const lapsed = await prisma.$queryRaw<{ userKey: number; periodStart: Date }[]>`
        SELECT DISTINCT user_key AS "userKey", period_start AS "periodStart" FROM lease
        WHERE (NOT closed OR unbooked <> 0 OR resting <> 0) AND expires_at < clock_timestamp() - interval '1 hour'
        LIMIT ${TIDIED_AT_ONCE}`;
      if (lapsed.length > 0) {
        const reports = lapsed.map(({ userKey, periodStart }) => nothing(userKey, periodStart.getTime()));
        await settle(reports);
      }
      await prisma.$executeRaw`
        DELETE FROM lease
        WHERE closed AND unbooked = 0 AND resting = 0 AND expires_at < clock_timestamp() - interval '1 day'`;
    },
  };
}

export type LedgerStore = ReturnType<typeof createLedgerStore>;
