import type { TokenName } from '#catalogue/token';
import { DAY } from '#core/clock';
import type { Span } from '#core/span';
import { toInstant } from '#database/instants';
import { Prisma } from '#generated/prisma/client';
import type { Interval } from '#prices/model/interval';
import { type MarketSourceName, preferredTo } from '#prices/model/market-sources';
import type { Sample } from '#prices/model/sample';
import { given, givesWay, isOneOf } from './archive-sql-store.ts';

/** Samples of one interval, ascending; `covers` is the span that is complete with them. */
export type SeriesUpdate = {
  interval: Interval;
  samples: readonly (Sample & { settled: boolean })[];
  covers?: Span;
};

/**
 * Writes what an answer of a source has of a series. It replaces the unsettled and the provisional rows of the span that
 * it covers and adds what is new. A settled row never changes, and no second sample is stored in its slot: an aggregator
 * may give an old slot another second than it did before. What a source preferred to this one has told stays, and nothing is
 * added to a span that such a source covers.
 *
 * The slots that are taken are looked up in a hash (`NOT IN` without a correlation): an embedded database has no
 * statistics, and without them a correlated look-up reads the whole series for each row.
 */
export function writePoints(token: TokenName, source: MarketSourceName, update: SeriesUpdate): Prisma.Sql {
  const preferred = preferredTo(source);
  const { interval, covers } = update;
  const provisional = preferred.length > 0;
  // What is provisional may change at any time.
  const samples = update.samples.map((sample) => ({ ...sample, settled: sample.settled && !provisional }));
  const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
  const mayGo = Prisma.sql`(NOT point.settled OR point.provisional) AND NOT ${isOneOf('point.source', preferred)}`;
  const ofSeries = Prisma.sql`token = ${token} AND grain = ${interval}::grain`;
  const gone = covers
    ? Prisma.sql`DELETE FROM point WHERE ${ofSeries} AND ${mayGo}
        AND ${givesWay(interval, covers)} AND at NOT IN (SELECT at FROM written)`
    : Prisma.sql`SELECT 1`;
  const isCovered = provisional
    ? Prisma.sql`EXISTS (SELECT FROM source_coverage c
        WHERE ${ofSeries} AND ${isOneOf('c.source', preferred)} AND given.at BETWEEN c."from" AND c.thru)`
    : Prisma.sql`false`;
  return Prisma.sql`
    WITH given AS (${given(samples)}),
    written AS (
      SELECT * FROM given WHERE NOT ${isCovered} AND date_trunc(${interval}, at, 'UTC') NOT IN (
        SELECT date_trunc(${interval}, at, 'UTC') FROM point WHERE ${ofSeries} AND NOT (${mayGo})
          AND at BETWEEN ${toInstant(first - DAY)} AND ${toInstant(last + DAY)})),
    gone AS (${gone})
    INSERT INTO point (token, grain, at, price, market_cap, volume, settled, source, provisional)
    SELECT ${token}, ${interval}::grain, at, price, market_cap, volume, settled, ${source}, ${provisional}::boolean
    FROM written
    ON CONFLICT (token, grain, at) DO UPDATE
    SET price = excluded.price, market_cap = excluded.market_cap, volume = excluded.volume,
      settled = excluded.settled, source = excluded.source, provisional = excluded.provisional
    WHERE ${mayGo}`;
}
