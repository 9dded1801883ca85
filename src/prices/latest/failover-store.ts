import type { TokenName } from '#catalogue/token';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { isMarketSource, type MarketSourceName } from '#prices/model/market-sources';

/** Two prices (USD) of a token that differed greatly when one source replaced the other. */
export type PriceDifference = { token: TokenName; from: number; to: number; replaced: MarketSourceName };

export type FailoverState = {
  served: MarketSourceName;
  /** When the active source took over (Unix ms). Undefined before the first switch. */
  since: number | undefined;
  differences: readonly PriceDifference[];
};

const RESOURCE = 'latest';

export function createFailoverStore(prisma: PrismaClient) {
  return {
    /** Returns undefined before the first switch, or if the active source is no longer supported. */
    async read(): Promise<FailoverState | undefined> {
      const row = await prisma.sourceFailover.findUnique({ where: { resource: RESOURCE } });
      if (!row || !isMarketSource(row.served)) return undefined;
      const differences = row.differences as PriceDifference[];
      return { served: row.served, since: row.since?.getTime(), differences };
    },

    /** Replaces the state `from`. One statement: if two processes decide at once, one of them gets false. */
    async replace(what: string, from: FailoverState, to: FailoverState): Promise<boolean> {
      const since = to.since === undefined ? Prisma.sql`NULL::timestamptz` : toInstant(to.since);
      const changed = await prisma.$executeRaw`
        WITH changed AS (
          INSERT INTO source_failover AS known (resource, served, since, differences)
          VALUES (${RESOURCE}, ${to.served}, ${since}, ${JSON.stringify(to.differences)}::jsonb)
          ON CONFLICT (resource) DO UPDATE SET served = excluded.served, since = excluded.since,
            differences = excluded.differences
          WHERE known.served = ${from.served}
          RETURNING resource)
        INSERT INTO refresh (resource, version) SELECT ${what}, 1 FROM changed
        ON CONFLICT (resource) DO UPDATE SET version = refresh.version + 1`;
      return changed > 0;
    },
  };
}

export type FailoverStore = ReturnType<typeof createFailoverStore>;
