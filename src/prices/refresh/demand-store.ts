import type { TokenName } from '#catalogue/token';
import { iso } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';

/** Which tokens were asked for, and when: a column of `Token`. */
export function createDemandStore(prisma: PrismaClient) {
  return {
    /** Notes that tokens are asked for at an instant (Unix ms), in the order of their names: two processes may at once. */
    async note(tokens: readonly TokenName[], at: number): Promise<void> {
      await prisma.$executeRaw`
        UPDATE token SET requested_at = greatest(requested_at, ${iso(at)}::timestamptz)
        WHERE name IN (SELECT name FROM token
          WHERE name = ANY (${[...tokens]}::text[]) ORDER BY name FOR UPDATE)`;
    },

    /** The tokens that were asked for since an instant (Unix ms), by name. */
    async since(at: number): Promise<TokenName[]> {
      const rows = await prisma.$queryRaw<{ name: TokenName }[]>`
        SELECT name FROM token WHERE requested_at >= ${iso(at)}::timestamptz AND removed_at IS NULL ORDER BY name`;
      return rows.map(({ name }) => name);
    },
  };
}

export type DemandStore = ReturnType<typeof createDemandStore>;
