import type { Authority } from '#accounts/keys/api-key';
import { changeUser } from '#accounts/keys/change-user-store';
import { type KeyChanges, type StoredKey, toStoredKey } from '#accounts/keys/key-store';
import type { PrismaClient } from '#generated/prisma/client';

export const createUpdateKeyStatement = (prisma: PrismaClient) => ({
  /**
   * Changes an active key. An owner key always has all scopes and expires only with its user (`owner`). Race: rotation
   * and revocation lock the user's row too, so the grace period of a key that is being replaced cannot be extended.
   * @param now in Unix ms
   */
  updateKey: (
    authority: Authority,
    id: number,
    { label, scopes, expiresAt, dailyLimit }: KeyChanges,
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
      if (key.scopes.includes('account') && (scopes !== undefined || expiresAt !== undefined)) return 'owner';
      const ends = expiresAt === undefined || expiresAt === null ? expiresAt : new Date(expiresAt);
      const data = { label, scopes: scopes && [...scopes], expiresAt: ends, dailyLimit };
      const changed = await tx.apiKey.update({
        where: { id },
        data: Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined)),
      });
      await tx.$executeRaw`UPDATE "user" SET changed_at = clock_timestamp() WHERE key = ${authority.userKey}`;
      return toStoredKey(changed);
    }),
});
