import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';

const toInstant = (ms: number) => Prisma.sql`${new Date(ms).toISOString()}::timestamptz`;
const toDate = (ms: number) => Prisma.sql`${new Date(ms).toISOString().slice(0, 10)}::date`;

/** A call that was charged: to whom, to which period (its start, Unix ms) and on which date (its midnight). */
export type Charge = { userKey: number; periodStart: number; date: number };

/** The rows of `Usage` and `UsageDay`: how many calls were spent. */
export function createLedgerStore(prisma: PrismaClient) {
  return {
    /**
     * Charges one call if the limit allows it: one statement, so two calls cannot both take the last one.
     * Gives the number used so far in the period, this call included, or undefined when the limit is reached.
     */
    async charge({ userKey, periodStart, date }: Charge, limit: number): Promise<number | undefined> {
      const rows = await prisma.$queryRaw<{ used: number }[]>`
        WITH charged AS (
          INSERT INTO usage (user_key, period_start, used)
          SELECT ${userKey}::int, ${toInstant(periodStart)}, 1 WHERE ${limit}::int > 0
          ON CONFLICT (user_key, period_start) DO UPDATE SET used = usage.used + 1 WHERE usage.used < ${limit}::int
          RETURNING used),
        day AS (
          INSERT INTO usage_day (user_key, date, calls) SELECT ${userKey}::int, ${toDate(date)}, 1 FROM charged
          ON CONFLICT (user_key, date) DO UPDATE SET calls = usage_day.calls + 1)
        SELECT used FROM charged`;
      return rows[0]?.used;
    },

    /** Takes one charge back, from the period and date in which it was made. */
    async refund({ userKey, periodStart, date }: Charge): Promise<void> {
      await prisma.$executeRaw`
        WITH refunded AS (
          UPDATE usage SET used = used - 1
          WHERE user_key = ${userKey} AND period_start = ${toInstant(periodStart)} AND used > 0)
        UPDATE usage_day SET calls = calls - 1
        WHERE user_key = ${userKey} AND date = ${toDate(date)} AND calls > 0`;
    },

    async used(userKey: number, periodStart: number): Promise<number> {
      const row = await prisma.usage.findUnique({
        where: { userKey_periodStart: { userKey, periodStart: new Date(periodStart) } },
      });
      return row?.used ?? 0;
    },
  };
}

export type LedgerStore = ReturnType<typeof createLedgerStore>;
