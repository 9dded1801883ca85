import type { Authority } from '#accounts/keys/api-key';
import { changeUser } from '#accounts/keys/change-user-store';
import { type KeyChanges, keysOf, type StoredKey, toStoredKey } from '#accounts/keys/key-store';
import { iso } from '#core/clock';
import { audit, jsonOf } from '#database/audit';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

export const createUpdateKeyStatement = (prisma: PrismaClient) => ({
  /**
   * Changes an active key. An owner key always has all scopes, expires only with its user, and can be used from
   * everywhere (`owner`). Race: rotation and revocation lock the user's row too, so the grace period of a key that is
   * being replaced cannot be extended.
   * @param now in Unix ms
   */
  updateKey: (
    authority: Authority,
    id: number,
    { label, scopes, expiresAt, dailyLimit, allowedOrigins }: KeyChanges,
    now: number,
  ): Promise<StoredKey | 'ended' | 'unknown' | 'owner'> =>
    changeUser(prisma, authority, async (tx) => {
      const active = {
        revokedAt: null,
        replacedAt: null,
        OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(now) } }],
      };
      const where = { id, userKey: authority.userKey, ...active };
      const key = await tx.apiKey.findFirst({ where });
      if (!key) return 'unknown';
      const restrictions = [scopes, expiresAt, allowedOrigins];
      if (key.scopes.includes('account') && restrictions.some((one) => one !== undefined)) return 'owner';
      const ends = expiresAt === undefined || expiresAt === null ? expiresAt : new Date(expiresAt);
      const origins = allowedOrigins === undefined ? undefined : [...(allowedOrigins ?? [])];
      const data = { label, scopes: scopes && [...scopes], expiresAt: ends, dailyLimit, allowedOrigins: origins };
      const changed = await tx.apiKey.update({
        where: { id },
        data: Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined)),
      });
      await tx.$executeRaw`UPDATE "user" SET changed_at = clock_timestamp() WHERE key = ${authority.userKey}`;
      return toStoredKey(changed);
    }),

  /**
   * Revokes a key, unless it is an active owner key. A key that has already expired or been revoked does not change.
   */
  async deleteKey(
    authority: Authority,
    id: number,
    now: number,
  ): Promise<'deleted' | 'ended' | 'unknown' | 'last_owner'> {
    const { userKey, operator } = authority;
    const verdict = await changeUser(prisma, authority, async (tx) => {
      const [row] = await tx.$queryRaw<[{ is_known: boolean; is_owner: boolean }]>`
      WITH ${keysOf(userKey)},
      verdict AS (
        SELECT EXISTS (SELECT 1 FROM mine WHERE id = ${id}) AS is_known,
          EXISTS (SELECT 1 FROM mine WHERE id = ${id} AND owns) AS is_owner),
      changed AS (
        UPDATE "user" SET changed_at = clock_timestamp()
        FROM verdict WHERE key = ${userKey} AND is_known AND NOT is_owner RETURNING key),
      ${audit(operator, {
        action: 'key.revoke',
        target: `key:${id}`,
        userKey,
        before: Prisma.sql`(SELECT jsonb_build_object('state', 'active', 'scopes', scopes, 'start', start)
          FROM api_key WHERE id = ${id})`,
        after: jsonOf({ state: 'revoked' }),
        from: Prisma.sql`changed WHERE EXISTS (
          SELECT FROM mine WHERE id = ${id} AND coalesce(dead_at, 'infinity') > ${toInstant(now)})`,
      })}
      revoked AS (
        UPDATE api_key SET revoked_at = ${iso(now)}::timestamptz FROM changed
        WHERE id IN (SELECT id FROM mine
          WHERE id = ${id} AND coalesce(dead_at, 'infinity') > ${iso(now)}::timestamptz))
      SELECT is_known, is_owner FROM verdict`;
      return row;
    });
    if (verdict === 'ended') return 'ended';
    if (!verdict.is_known) return 'unknown';
    return verdict.is_owner ? 'last_owner' : 'deleted';
  },
});
