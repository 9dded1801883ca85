import type { Authority } from '#accounts/keys/authority';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

/** Whether a row of `api_key` is an owner key that may change its user. */
export const IS_ACTIVE_OWNER = Prisma.sql`('account' = ANY(scopes) AND replaced_at IS NULL AND revoked_at IS NULL)`;

/**
 * Runs a change to a user's data in one transaction. Returns `ended` without running it when the user was erased, or
 * when the key that asks for it is no longer an active owner key.
 *
 * Race: the key's state is read from the database after the user's row is locked. Rotation, recovery, revocation and
 * erasure lock the same row, so a key that another process has just replaced changes nothing, whatever this process
 * has cached of it.
 */
export function changeUser<Result>(
  prisma: PrismaClient,
  { userKey, ownerKeyHash }: Authority,
  change: (tx: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result | 'ended'> {
  return prisma.$transaction(async (tx) => {
    const users = await tx.$queryRaw<unknown[]>`
      SELECT key FROM "user" WHERE key = ${userKey} AND erased_at IS NULL FOR NO KEY UPDATE`;
    if (users.length === 0) return 'ended';
    if (ownerKeyHash !== null) {
      const owners = await tx.$queryRaw<unknown[]>`
        SELECT id FROM api_key WHERE hash = ${ownerKeyHash} AND user_key = ${userKey}
          AND ${IS_ACTIVE_OWNER}`;
      if (owners.length === 0) return 'ended';
    }
    return change(tx);
  });
}
