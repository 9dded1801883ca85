import { orNull, type StoredKey, toStoredKey } from '#accounts/keys/key-store';
import { iso } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';

/** Facts for the operator that are not in the user's record. Instants in Unix ms. */
export type AccountFacts = {
  userKey: number;
  isErased: boolean;
  /** Includes keys in the grace period of a rotation. */
  liveKeys: number;
  lastUsedAt: number | null;
  /** The start of the newest period with calls, or null, and the number of calls in that period. */
  periodStart: number | null;
  used: number;
};

export type AccountKey = StoredKey & { revokedAt: number | null };
type FactsRow = Omit<AccountFacts, 'lastUsedAt' | 'periodStart'> & Record<'lastUsedAt' | 'periodStart', Date | null>;

export function createAccountStore(prisma: PrismaClient) {
  return {
    /** Returns the facts about every user, or about one user. Omits calls that open leases have not reported yet. */
    async facts(now: number, userKey: number | null = null): Promise<AccountFacts[]> {
      const rows = await prisma.$queryRaw<FactsRow[]>`
        WITH users AS (SELECT key, erased_at FROM "user" WHERE key = coalesce(${userKey}::int, key)),
        keys AS (
          SELECT user_key, max(last_used_at) AS last_used_at, (count(*) FILTER (
            WHERE coalesce(least(revoked_at, expires_at), 'infinity') > ${iso(now)}::timestamptz))::int AS live
          FROM api_key JOIN users u ON u.key = user_key GROUP BY user_key),
        calls AS (
          SELECT DISTINCT ON (user_key) user_key, period_start, used
          FROM usage JOIN users u ON u.key = user_key ORDER BY user_key, period_start DESC),
        unbooked AS (
          SELECT user_key, period_start, sum(unbooked)::int AS calls
          FROM reported_lease JOIN users u ON u.key = user_key WHERE unbooked <> 0 GROUP BY user_key, period_start)
        SELECT u.key AS "userKey", u.erased_at IS NOT NULL AS "isErased", coalesce(k.live, 0) AS "liveKeys",
          k.last_used_at AS "lastUsedAt", c.period_start AS "periodStart",
          coalesce(c.used, 0) + coalesce(l.calls, 0) AS used
        FROM users u LEFT JOIN keys k ON k.user_key = u.key LEFT JOIN calls c ON c.user_key = u.key
          LEFT JOIN unbooked l ON l.user_key = u.key AND l.period_start = c.period_start
        ORDER BY u.key`;
      return rows.map((row) => ({ ...row, lastUsedAt: orNull(row.lastUsedAt), periodStart: orNull(row.periodStart) }));
    },

    /** Includes erased users. */
    hasUsers: async (): Promise<boolean> => (await prisma.user.findFirst({ select: { key: true } })) !== null,

    async keys(userKey: number): Promise<AccountKey[]> {
      const rows = await prisma.apiKey.findMany({
        where: { userKey },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      });
      return rows.map((row) => ({ ...toStoredKey(row), revokedAt: orNull(row.revokedAt) }));
    },
  };
}

export type AccountStore = ReturnType<typeof createAccountStore>;
