import type { Sample } from '../domain/sample.ts';
import type { Span } from '../domain/span.ts';
import type { TokenName } from '../domain/token.ts';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { type ArchivedSample, addCoverage, bumpRefresh, epochMs, given } from './archive-sql.ts';

/** Part of an import: rows, one to a date, and the spans of which the archive knows all once it has them. */
export type Batch = { samples: readonly ArchivedSample[]; covers: readonly Span[] };

/** What became of a row: `skipped` was there already, `kept` is a settled one that differs and stays. */
export type Outcome =
  | { outcome: 'added' | 'changed' | 'skipped'; at: number }
  | { outcome: 'kept'; at: number; stored: Sample };

type Verdict = { outcome: Outcome['outcome']; at: number } & Record<
  'stored_at' | 'price' | 'market_cap' | 'volume',
  number | null
>;

/**
 * What each row given becomes beside the row stored of its date, and its writing: one statement, so that what is told
 * is what was done. An unsettled row gives way; a settled one only when told to.
 */
const merge = (token: TokenName, samples: readonly ArchivedSample[], replace: boolean) => Prisma.sql`
  WITH given AS (SELECT *, date_trunc('day', at, 'UTC') AS date FROM (${given(samples)}) AS given),
  stored AS (
    SELECT *, date_trunc('day', at, 'UTC') AS date FROM point
    WHERE token = ${token} AND grain = 'day' AND at >= (SELECT min(date) FROM given)
      AND at < (SELECT max(date) FROM given) + interval '24 hours'),
  verdict AS (
    SELECT given.*, s.at AS stored_at, s.price AS stored_price, s.market_cap AS stored_cap, s.volume AS stored_volume,
      CASE
        WHEN s.at IS NULL THEN 'added'
        WHEN (s.at, s.price, s.market_cap, s.volume)
          IS NOT DISTINCT FROM (given.at, given.price, given.market_cap, given.volume) THEN 'skipped'
        WHEN s.settled AND NOT ${replace}::boolean THEN 'kept'
        ELSE 'changed'
      END AS outcome
    FROM given
    LEFT JOIN (SELECT DISTINCT ON (date) * FROM stored ORDER BY date, settled DESC, at) AS s USING (date)),
  gone AS (
    DELETE FROM point WHERE token = ${token} AND grain = 'day' AND at IN (
      SELECT stored.at FROM stored JOIN verdict USING (date)
      WHERE outcome = 'changed' AND stored.at <> verdict.at)),
  written AS (
    INSERT INTO point (token, grain, at, price, market_cap, volume, settled)
    SELECT ${token}, 'day', at, price, market_cap, volume, settled FROM verdict WHERE outcome <> 'kept'
    ON CONFLICT (token, grain, at) DO UPDATE
    SET price = excluded.price, market_cap = excluded.market_cap, volume = excluded.volume,
      settled = point.settled OR excluded.settled
    WHERE (point.price, point.market_cap, point.volume, point.settled)
      IS DISTINCT FROM (excluded.price, excluded.market_cap, excluded.volume, point.settled OR excluded.settled))
  SELECT outcome, ${epochMs('at')} AS at, ${epochMs('stored_at')} AS stored_at, stored_price AS price,
    stored_cap AS market_cap, stored_volume AS volume
  FROM verdict ORDER BY verdict.at`;

function toOutcome({ outcome, at, stored_at, price, market_cap, volume }: Verdict): Outcome {
  if (outcome !== 'kept') return { outcome, at };
  return { outcome, at, stored: { at: stored_at ?? at, price, marketCap: market_cap, volume } };
}

/** The day rows that an operator brings, among those that the service has fetched. */
export function createImportStore(prisma: PrismaClient) {
  return {
    /**
     * Writes a batch, or none of it. Other writers wait meanwhile, readers do not: a service that fetched the same
     * date between the look and the writing would otherwise put a second row beside it.
     *
     * @param replace the rows given take the place of settled ones too
     * @param at Unix ms, when
     * @returns one for each row, ascending
     */
    async write(
      token: TokenName,
      { samples, covers }: Batch,
      replace: boolean,
      at: number,
    ): Promise<Outcome[]> {
      const [, verdicts] = await prisma.$transaction([
        prisma.$executeRaw`LOCK TABLE point IN SHARE ROW EXCLUSIVE MODE`,
        prisma.$queryRaw<Verdict[]>(merge(token, samples, replace)),
        prisma.$executeRaw(addCoverage(token, 'day', covers)),
        prisma.$executeRaw(bumpRefresh(`import:${token}`, at)),
      ]);
      return verdicts.map(toOutcome);
    },
  };
}

export type ImportStore = ReturnType<typeof createImportStore>;
