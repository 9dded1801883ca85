import type { TokenName } from '#catalogue/token';
import { toInstant } from '#database/instants';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { isMarketSource, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';

/** Two sources that told very different prices of a token when one took over from the other; in USD. */
export type PriceDifference = { token: TokenName; from: number; to: number };

/** Which source of latest prices is served. One for all processes. */
export type FailoverState = {
  told: MarketSourceName;
  /** Good answers in a row that the primary source has given since the fallback is served. */
  goodAnswers: number;
  /** When the one that is told took over (Unix ms); undefined where nobody ever did. */
  since: number | undefined;
  /** The prices that differed much then. */
  differences: readonly PriceDifference[];
};

export const STARTING_STATE: FailoverState = {
  told: PRIMARY_SOURCE,
  goodAnswers: 0,
  since: undefined,
  differences: [],
};

/** The one row there is. */
const WHAT = 'latest';

/** The row of `SourceFailover`: which source of prices is told, by every process alike. */
export function createFailoverStore(prisma: PrismaClient) {
  return {
    /** Undefined where no source ever took over from another, or the one that did is not served any more. */
    async read(): Promise<FailoverState | undefined> {
      const row = await prisma.sourceFailover.findUnique({ where: { what: WHAT } });
      if (!row || !isMarketSource(row.told)) return undefined;
      const differences = row.differences as PriceDifference[];
      return { told: row.told, goodAnswers: row.goodAnswers, since: row.since?.getTime(), differences };
    },

    /**
     * Replaces a state by another; false when it is not the stored one any more. One statement: of two processes that
     * decide at once, one has it, and the other reads what that one stored. The version rises with it, so that every
     * process reads the row again.
     *
     * @param what the row of `Refresh` whose version that is
     */
    async replace(what: string, from: FailoverState, to: FailoverState): Promise<boolean> {
      const since = to.since === undefined ? Prisma.sql`NULL::timestamptz` : toInstant(to.since);
      const changed = await prisma.$executeRaw`
        WITH changed AS (
          INSERT INTO source_failover AS known (what, told, good_answers, since, differences)
          VALUES (${WHAT}, ${to.told}, ${to.goodAnswers}::int, ${since}, ${JSON.stringify(to.differences)}::jsonb)
          ON CONFLICT (what) DO UPDATE SET told = excluded.told, good_answers = excluded.good_answers,
            since = excluded.since, differences = excluded.differences
          WHERE known.told = ${from.told} AND known.good_answers = ${from.goodAnswers}::int
          RETURNING what)
        INSERT INTO refresh (what, version) SELECT ${what}, 1 FROM changed
        ON CONFLICT (what) DO UPDATE SET version = refresh.version + 1`;
      return changed > 0;
    },
  };
}

export type FailoverStore = ReturnType<typeof createFailoverStore>;
