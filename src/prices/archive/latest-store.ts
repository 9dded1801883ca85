import type { TokenName } from '#catalogue/token';
import type { Span } from '#core/clock';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { LatestModel } from '#generated/prisma/models';
import { isOneOf } from '#prices/archive/archive-sql-store';
import { isMarketSource, type MarketSourceName, PRIMARY_SOURCE, preferredTo } from '#prices/model/market-sources';
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
