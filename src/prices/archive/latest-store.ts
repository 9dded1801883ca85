import type { TokenName } from '#catalogue/token';
import type { Span } from '#core/span';
import { Prisma } from '#generated/prisma/client';
import type { LatestModel } from '#generated/prisma/models';
import { isOneOf } from '#prices/archive/archive-sql-store';
import {
  isMarketSource,
  type MarketSourceName,
  PRIMARY_SOURCE,
  preferredTo,
} from '#prices/model/market-sources';
import { type LatestPrice, latestPrice } from '#prices/model/records';
import { isPlausible } from '#upstream/plausible';

/** The last good latest price of a token from a source; instants in Unix ms. */
export type LatestRow = {
  token: TokenName;
  source: MarketSourceName;
  record: LatestPrice;
  at: number;
  fetchedAt: number;
};
type Quotes = readonly Omit<LatestRow, 'source'>[];

/** Undefined for a source that is not served and for a price that cannot be true. */
export function readLatest(
  { token, source, record: stored, at, fetchedAt }: LatestModel,
  times: Span,
): LatestRow | undefined {
  const { data: record } = latestPrice.safeParse(stored);
  if (!isMarketSource(source) || !record) return undefined;
  const row = { token, source, record, at: at.getTime(), fetchedAt: fetchedAt.getTime() };
  return isPlausible({ at: row.at, price: record.current_price }, times) ? row : undefined;
}

/** Rows go out as one JSON text: the server casts each figure from its own digits, so none is rounded. */
const given = (quotes: Quotes) => Prisma.sql`
  SELECT token, record, to_timestamp(at / 1000)::timestamptz(3) AS at,
    to_timestamp("fetchedAt" / 1000)::timestamptz(3) AS fetched_at
  FROM json_to_recordset(${JSON.stringify(quotes)}::json)
    AS row(token text, record jsonb, at float8, "fetchedAt" float8)`;

export const writeLatest = (source: MarketSourceName, quotes: Quotes) => Prisma.sql`
  INSERT INTO source_latest (token, source, record, at, fetched_at)
  SELECT token, ${source}, record, at, fetched_at FROM (${given(quotes)}) AS given
  ON CONFLICT (token, source) DO UPDATE
  SET record = excluded.record, at = excluded.at, fetched_at = excluded.fetched_at`;

/** Each latest price is a sample too, unless one that stays has its place, or a source before this one has told of its time. */
function writeSamples(interval: 'minute' | 'hour', source: MarketSourceName, quotes: Quotes): Prisma.Sql {
  const preferred = preferredTo(source);
  const mayGo = Prisma.sql`(NOT point.settled OR point.provisional) AND NOT ${isOneOf('point.source', preferred)}`;
  // Whatever is there of an hour is its sample already.
  const stays = interval === 'hour' ? Prisma.sql`true` : Prisma.sql`NOT (${mayGo})`;
  const slot = Prisma.sql`date_trunc(${interval}, given.at, 'UTC')`;
  const figure = (name: string) => Prisma.sql`(record ->> ${name})::float8`;
  // A look-up for each row: the planner would read the whole table in place of 250 keys.
  return Prisma.sql`
    INSERT INTO point (token, grain, at, price, market_cap, volume, settled, source, provisional)
    SELECT given.token, ${interval}::grain, given.at, ${figure('current_price')}, ${figure('market_cap')},
      ${figure('total_volume')}, false, ${source}, ${preferred.length > 0}::boolean
    FROM (${given(quotes)}) AS given
    LEFT JOIN LATERAL (
      SELECT true AS is_there FROM point
      WHERE point.token = given.token AND grain = ${interval}::grain AND ${stays}
        AND point.at >= ${slot} AND point.at < ${slot} + ${`1 ${interval}`}::interval LIMIT 1) AS taken ON true
    LEFT JOIN LATERAL (
      SELECT true AS is_there FROM source_coverage c
      WHERE c.token = given.token AND grain = ${interval}::grain AND ${isOneOf('c.source', preferred)}
        AND given.at BETWEEN c."from" AND c.thru LIMIT 1) AS covered ON true
    WHERE taken.is_there IS NULL AND covered.is_there IS NULL
    ON CONFLICT (token, grain, at) DO UPDATE
    SET price = excluded.price, market_cap = excluded.market_cap, volume = excluded.volume,
      settled = excluded.settled, source = excluded.source, provisional = excluded.provisional
    WHERE ${mayGo}`;
}

/**
 * Writes the latest prices of an answer as samples of a minute; those of the aggregator also as the first of an hour.
 * Samples of a venue are at the beginning of an hour: one of any other time would be a second in its hour.
 */
export const writeQuotes = (source: MarketSourceName, quotes: Quotes): Prisma.Sql[] => [
  writeSamples('minute', source, quotes),
  ...(source === PRIMARY_SOURCE ? [writeSamples('hour', source, quotes)] : []),
];
