import type { Authority } from '#accounts/keys/api-key';
import { accountSuspended, toSuspension } from '#accounts/keys/suspension';
import type { Plan } from '#accounts/ledger/plan';
import { hasAddress } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

/** SQL condition: a row of `api_key` is an owner key that may change its user. */
export const IS_ACTIVE_OWNER = Prisma.sql`('account' = ANY(scopes) AND replaced_at IS NULL AND revoked_at IS NULL)`;

/**
 * Runs a change to a user's data in one transaction. Returns `ended` without running the change if the user was erased
 * or the requesting key is no longer an active owner key. Throws `account_suspended` for a key of a suspended user. Race: rotation, recovery, revocation, suspension and erasure lock the
 * user's row. The key's state is read under the same lock, so a key that another process has just replaced changes
 * nothing, even if this process has it cached.
 */
export function changeUser<Result>(
  prisma: PrismaClient,
  authority: Authority,
  change: (tx: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result | 'ended'> {
  return prisma.$transaction(async (tx) => ((await lockUser(tx, authority)) ? change(tx) : 'ended'));
}

type StateRow = { suspendedAt: Date | null; suspendedReason: string | null };

/** Returns whether the authority may change the user, who stays locked until the transaction ends. */
export async function lockUser(tx: Prisma.TransactionClient, { userKey, ownerKeyHash }: Authority): Promise<boolean> {
  const [user] = await tx.$queryRaw<StateRow[]>`
    SELECT suspended_at AS "suspendedAt", suspended_reason AS "suspendedReason"
    FROM "user" WHERE key = ${userKey} AND erased_at IS NULL FOR NO KEY UPDATE`;
  if (user === undefined) return false;
  if (ownerKeyHash === null) return true;
  const owners = await tx.$queryRaw<unknown[]>`
    SELECT id FROM api_key WHERE hash = ${ownerKeyHash} AND user_key = ${userKey} AND ${IS_ACTIVE_OWNER}`;
  if (owners.length === 0) return false;
  const suspension = toSuspension(user);
  if (suspension) throw accountSuspended(suspension);
  return true;
}

/** Instants in Unix ms. `start` and `lastUsedAt` are those of the newest owner key. */
type UserOfAddress = {
  key: number;
  email: string;
  plan: Plan;
  createdAt: number;
  start: string | null;
  lastUsedAt: number | null;
};

type Row = Omit<UserOfAddress, 'createdAt' | 'lastUsedAt'> & { createdAt: Date; lastUsedAt: Date | null };

export const createUsersOfAddressStatement = (prisma: PrismaClient) => ({
  /**
   * Returns users with an email address (case-insensitive), and their total number. Verified users come first, and
   * older users before newer ones. Otherwise, an attacker could hide a person's users behind new registrations with the
   * same address. Users without an active owner key are omitted.
   */
  async usersOf(email: string, most: number): Promise<{ users: UserOfAddress[]; count: number }> {
    const rows = await prisma.$queryRaw<(Row & { count: number })[]>`
      SELECT u.key, u.email, u.plan::text AS plan, u.created_at AS "createdAt", k.start,
        k.last_used_at AS "lastUsedAt", (count(*) OVER ())::int AS count
      FROM "user" u CROSS JOIN LATERAL (
        SELECT start, last_used_at FROM api_key WHERE user_key = u.key AND ${IS_ACTIVE_OWNER}
        ORDER BY created_at DESC, id DESC LIMIT 1) AS k
      WHERE ${hasAddress(email)} AND u.email IS NOT NULL
      ORDER BY u.verified_at IS NULL, u.key LIMIT ${most}::int`;
    return {
      users: rows.map(({ count: _, createdAt, lastUsedAt, ...rest }) => ({
        ...rest,
        createdAt: createdAt.getTime(),
        lastUsedAt: lastUsedAt?.getTime() ?? null,
      })),
      count: rows[0]?.count ?? 0,
    };
  },
});
