import { type InMs, inMs } from '#core/clock';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { toUser, type User } from '../user.ts';

/** Facts for the operator that are not in the user's record. */
type FactsRow = {
  userKey: number;
  isErased: boolean;
  isVerified: boolean;
  /** The number of active keys, including keys in the grace period of a rotation. */
  liveKeys: number;
  lastUsedAt: Date | null;
  /** The start of the newest period with calls, or null, and the number of calls in that period. */
  periodStart: Date | null;
  used: number;
  /** The limit of that period, if it differs from the user's limit, and the credits of that period. */
  ownLimit: number | null;
  credits: number;
};

/** Instants in Unix ms. */
export type AccountFacts = InMs<FactsRow>;

export function createAccountStore(prisma: PrismaClient) {
  return {
    /** The facts about users, in the order of their keys. Calls that open leases have not reported yet are missing. */
    async facts(now: number, userKeys: readonly number[]): Promise<AccountFacts[]> {
      const at = toInstant(now);
      // Each table is read on its own, because a cluster has only some of them on the same node.
      const keys = Prisma.sql`${[...userKeys]}::int[]`;
      const rows = await prisma.$queryRaw<FactsRow[]>`
        WITH k AS MATERIALIZED (
          SELECT user_key, max(last_used_at) AS last_used_at,
            (count(*) FILTER (WHERE coalesce(least(revoked_at, expires_at), 'infinity') > ${at}))::int AS live
          FROM api_key WHERE user_key = ANY (${keys}) GROUP BY 1),
        c AS MATERIALIZED (
          SELECT DISTINCT ON (user_key) user_key, period_start, used, "limit", credits FROM usage
          WHERE user_key = ANY (${keys}) AND period_start <= ${at} ORDER BY user_key, period_start DESC),
        l AS MATERIALIZED (
          SELECT user_key, period_start, sum(granted - spent)::int AS unspent FROM lease
          WHERE user_key = ANY (${keys}) GROUP BY 1, 2)
        SELECT u.key AS "userKey", u.erased_at IS NOT NULL AS "isErased", u.verified_at IS NOT NULL AS "isVerified",
          coalesce(k.live, 0) AS "liveKeys", k.last_used_at AS "lastUsedAt", c.period_start AS "periodStart",
          coalesce(c.used, 0) - coalesce(l.unspent, 0) AS used, c."limit" AS "ownLimit", coalesce(c.credits, 0) AS credits
        FROM "user" u LEFT JOIN k ON k.user_key = u.key LEFT JOIN c ON c.user_key = u.key
          LEFT JOIN l ON l.user_key = u.key AND l.period_start = c.period_start
        WHERE u.key = ANY (${keys}) ORDER BY u.key`;
      return rows.map(inMs);
    },

    async find(userKeys: readonly number[]): Promise<User[]> {
      const rows = await prisma.user.findMany({ where: { key: { in: [...userKeys] } } });
      return rows.map(toUser);
    },

    async daily(userKey: number, newest: number): Promise<{ date: string; calls: number }[]> {
      return prisma.$queryRaw`
        SELECT to_char(date, 'YYYY-MM-DD') AS date, sum(calls)::int AS calls
        FROM (SELECT date, calls FROM usage_day WHERE user_key = ${userKey}
          UNION ALL SELECT date, spent FROM lease WHERE user_key = ${userKey}) c
        GROUP BY date HAVING sum(calls) > 0 ORDER BY date DESC LIMIT ${newest}::int`;
    },

    /** The newest credits of a user. Instants in Unix ms. */
    async credits(userKey: number, newest: number) {
      const select = { calls: true, reason: true, periodStart: true, createdAt: true };
      const rows = await prisma.credit.findMany({ where: { userKey }, orderBy: { id: 'desc' }, take: newest, select });
      return rows.map(inMs);
    },

    hasUsers: async (): Promise<boolean> => (await prisma.user.findFirst({ select: { key: true } })) !== null,
  };
}

export type AccountStore = ReturnType<typeof createAccountStore>;
