import type { TokenName } from '#catalogue/token';
import { HOUR, iso } from '#core/clock';
import type { PrismaClient } from '#generated/prisma/client';
import { SKEW } from '#upstream/freshness';

/** Stores the time of each token's last request, in a column of `Token`. */
export function createDemandStore(prisma: PrismaClient) {
  return {
    /**
     * Locks the rows in the order of their names, because two processes may write at once. `at` is in Unix ms. A stored
     * time in the future was written before the clock was set back, and is replaced.
     */
    async note(tokens: readonly TokenName[], at: number): Promise<void> {
      await prisma.$executeRaw`
        UPDATE token SET requested_at = greatest(
          CASE WHEN requested_at <= ${iso(at + SKEW)}::timestamptz THEN requested_at END, ${iso(at)}::timestamptz)
        WHERE name IN (SELECT name FROM token
          WHERE name = ANY (${[...tokens]}::text[]) ORDER BY name FOR UPDATE)`;
    },

    /** Records, to the hour, that a response of the primary source contained no price for some tokens. */
    async unpriced(tokens: readonly TokenName[], at: number): Promise<void> {
      await prisma.$executeRaw`
        UPDATE token SET unpriced_at = ${iso(at)}::timestamptz
        WHERE name IN (SELECT name FROM token
          WHERE name = ANY (${[...tokens]}::text[])
            AND (unpriced_at IS NULL OR unpriced_at < ${iso(at - HOUR)}::timestamptz)
          ORDER BY name FOR UPDATE)`;
    },

    async since(at: number, now: number): Promise<TokenName[]> {
      const rows = await prisma.$queryRaw<{ name: TokenName }[]>`
        SELECT name FROM token
        WHERE requested_at BETWEEN ${iso(at)}::timestamptz AND ${iso(now + SKEW)}::timestamptz AND removed_at IS NULL
        ORDER BY name`;
      return rows.map(({ name }) => name);
    },
  };
}

export type DemandStore = ReturnType<typeof createDemandStore>;
