import type { TokenName } from '#catalogue/token';
import { iso } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';

/** Stores the time of each token's last request, in a column of `Token`. */
export function createDemandStore(prisma: PrismaClient) {
  return {
    /** Locks the rows in the order of their names, because two processes may write at once. `at` is in Unix ms. */
    async note(tokens: readonly TokenName[], at: number): Promise<void> {
      await prisma.$executeRaw`
        UPDATE token SET requested_at = greatest(requested_at, ${iso(at)}::timestamptz)
        WHERE name IN (SELECT name FROM token
          WHERE name = ANY (${[...tokens]}::text[]) ORDER BY name FOR UPDATE)`;
    },

    async since(at: number): Promise<TokenName[]> {
      const rows = await prisma.$queryRaw<{ name: TokenName }[]>`
        SELECT name FROM token WHERE requested_at >= ${iso(at)}::timestamptz AND removed_at IS NULL ORDER BY name`;
      return rows.map(({ name }) => name);
    },
  };
}

export type DemandStore = ReturnType<typeof createDemandStore>;
