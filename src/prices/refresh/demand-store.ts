import type { TokenName } from '#catalogue/token';
import { iso } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';

/** The column of `Token` with the time of the last request. */
export function createDemandStore(prisma: PrismaClient) {
  return {
    /** Sorted by name, since two processes may write at once. `at` in Unix ms. */
    async note(tokens: readonly TokenName[], at: number): Promise<void> {
      await prisma.$executeRaw`
        UPDATE token SET requested_at = greatest(requested_at, ${iso(at)}::timestamptz)
        WHERE name IN (SELECT name FROM token
          WHERE name = ANY (${[...tokens]}::text[]) ORDER BY name FOR UPDATE)`;
    },

    /** The tokens requested since an instant (Unix ms), by name. */
    async since(at: number): Promise<TokenName[]> {
      const rows = await prisma.$queryRaw<{ name: TokenName }[]>`
        SELECT name FROM token WHERE requested_at >= ${iso(at)}::timestamptz AND removed_at IS NULL ORDER BY name`;
      return rows.map(({ name }) => name);
    },
  };
}

export type DemandStore = ReturnType<typeof createDemandStore>;
