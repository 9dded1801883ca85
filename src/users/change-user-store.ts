import { audit } from '#database/audit';
import { toBytes, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { type Authority, userNotFound } from './authority.ts';
import { accountSuspended, type SuspensionRow, toSuspension } from './user.ts';

/** SQL condition: a row of `api_key` is an owner key that may change its user. */
export const IS_ACTIVE_OWNER = Prisma.sql`('account' = ANY(scopes) AND replaced_at IS NULL AND revoked_at IS NULL)`;

/** The columns of `toUser`, under the names of Prisma's model. */
export const USER_COLUMNS = Prisma.sql`u.key, u.name, u.email, u.plan::text, u."limit", u.anchor, u.created_at AS "createdAt",
  u.valid_until AS "validUntil", u.updated_at AS "updatedAt", u.next_plan::text AS "nextPlan",
  u.next_limit AS "nextLimit", u.next_from AS "nextFrom", u.suspended_at AS "suspendedAt",
  u.suspended_reason AS "suspendedReason"`;

/**
 * Runs a change to a user's data in one transaction. Throws the problem of an authority that has ended,
 * `account_suspended` for a key of a suspended user, and `not_found` to the operator. Race: rotation, recovery,
 * revocation, suspension and erasure lock the user's row, and the key's state is read under the same lock, so a key
 * that another process has just replaced changes nothing.
 */
export function changeUser<Result>(
  prisma: PrismaClient,
  authority: Authority,
  change: (tx: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result> {
  return prisma.$transaction(async (tx) => {
    await lockUser(tx, authority);
    return change(tx);
  });
}

/** Locks the user until the transaction ends. Throws like `changeUser`. */
export async function lockUser(tx: Prisma.TransactionClient, authority: Authority): Promise<void> {
  const { userKey, ownerKeyHash, operator, ended } = authority;
  const [user] = await tx.$queryRaw<(SuspensionRow & { isErased: boolean })[]>`
    SELECT suspended_at AS "suspendedAt", suspended_reason AS "suspendedReason", erased_at IS NOT NULL AS "isErased"
    FROM "user" WHERE key = ${userKey} FOR NO KEY UPDATE`;
  if (!user && operator) throw userNotFound(userKey);
  if (!user || user.isErased) throw ended();
  if (ownerKeyHash === null) return;
  const owners = await tx.$queryRaw<unknown[]>`
    SELECT id FROM api_key WHERE hash = ${toBytes(ownerKeyHash)} AND user_key = ${userKey} AND ${IS_ACTIVE_OWNER}`;
  if (owners.length === 0) throw ended();
  const suspension = toSuspension(user);
  if (suspension) throw accountSuspended(suspension);
}

type UserChange = {
  /** The time of the change in Unix ms. Changes to a key do not set it. */
  updatedAt?: number;
  /** Further columns to set, each preceded by a comma. */
  set?: Prisma.Sql;
  /** Further steps of the statement, each of the form `name AS (…),`. */
  more?: Prisma.Sql;
  /** The audit event of an operator's change. */
  event?: Omit<Parameters<typeof audit>[1], 'target' | 'userKey'> & { target?: string };
};

/** Marks a locked user as changed for the key caches of all processes. One statement also adds the audit event. */
export async function updateUser(
  tx: Prisma.TransactionClient,
  { userKey, operator }: Authority,
  { updatedAt, set = Prisma.empty, more = Prisma.empty, event }: UserChange = {},
): Promise<void> {
  const updated = updatedAt === undefined ? Prisma.empty : Prisma.sql`, updated_at = ${toInstant(updatedAt)}`;
  await tx.$queryRaw`
    WITH changed AS (
      UPDATE "user" SET changed_at = (SELECT clock_timestamp()) ${updated} ${set} WHERE key = ${userKey} RETURNING key),
    ${more}
    ${event ? audit(operator, { target: `user:${userKey}`, ...event, userKey }) : Prisma.empty}
    done AS (SELECT key FROM changed)
    SELECT key FROM done`;
}
