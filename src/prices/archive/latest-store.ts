import type { TokenName } from '#catalogue/token';
import type { Span } from '#core/clock';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { LatestModel } from '#generated/prisma/models';
import { isOneOf, isReplaceable, POINT } from '#prices/archive/series-sql-store';
import { isMarketSource, type MarketSourceName, PRIMARY_SOURCE, preferredTo } from '#prices/model/market-sources';
import { type LatestPrice, latestPrice } from '#prices/model/records';
import { isPlausible } from '#upstream/plausible';

/** The last good latest price of a token from a source. Instants in Unix ms. */
export type LatestRow = {
  token: TokenName;
  source: MarketSourceName;
  record: LatestPrice;
  at: number;
  fetchedAt: number;
};
type Quotes = readonly Omit<LatestRow, 'source'>[];

/** Returns undefined for an unknown source or an implausible price. */
export function readLatest(
  { token, source, record: stored, at, fetchedAt }: LatestModel,
  times: Span,
): LatestRow | undefined {
  const { data: record } = latestPrice.safeParse(stored);
  if (!isMarketSource(source) || !record) return undefined;
  const row = { token, source, record, at: at.getTime(), fetchedAt: fetchedAt.getTime() };
  return isPlausible({ at: row.at, price: record.current_price }, times) ? row : undefined;
}

/** Sends rows as one JSON text. The server parses the digits of each figure, so no figure is rounded. */
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

/** Also stores each price as a sample, unless its slot has a permanent row or a preferred source covers its time. */
function writeSamples(interval: 'minute' | 'hour', source: MarketSourceName, quotes: Quotes): Prisma.Sql {
  const preferred = preferredTo(source);
  const replaceable = isReplaceable(POINT, preferred);
  // An existing row of an hour is not replaced.
  const stays = interval === 'hour' ? Prisma.sql`true` : Prisma.sql`NOT (${replaceable})`;
  const slot = Prisma.sql`date_trunc(${interval}, given.at, 'UTC')`;
  const figure = (name: string) => Prisma.sql`(record ->> ${name})::float8`;
  // One look-up per row. Otherwise, the planner would read the whole table for 250 keys.
  return Prisma.sql`
    INSERT INTO point (token, grain, at, ${POINT.columns})
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
    ON CONFLICT (token, grain, at) DO UPDATE SET ${POINT.replaced} WHERE ${replaceable}`;
}

/** CoinGecko's first price in an hour is also the hour's sample. Kraken's hours come from candles instead. */
export const writeQuotes = (source: MarketSourceName, quotes: Quotes): Prisma.Sql[] => [
  writeSamples('minute', source, quotes),
  ...(source === PRIMARY_SOURCE ? [writeSamples('hour', source, quotes)] : []),
];

/** The prices (USD) of a token from two sources, which differed greatly when one source replaced the other. */
export type PriceDifference = { token: TokenName; from: number; to: number };

export type FailoverState = {
  served: MarketSourceName;
  /** Consecutive good responses of the primary source since the fallback took over. */
  goodAnswers: number;
  /** When the active source took over (Unix ms). Undefined before the first switch. */
  since: number | undefined;
  differences: readonly PriceDifference[];
};

export const STARTING_STATE: FailoverState = {
  served: PRIMARY_SOURCE,
  goodAnswers: 0,
  since: undefined,
  differences: [],
};

const WHAT = 'latest';

export function createFailoverStore(prisma: PrismaClient) {
  return {
    /** Returns undefined before the first switch, or if the active source is no longer supported. */
    async read(): Promise<FailoverState | undefined> {
      const row = await prisma.sourceFailover.findUnique({ where: { what: WHAT } });
      if (!row || !isMarketSource(row.served)) return undefined;
      const differences = row.differences as PriceDifference[];
      return { served: row.served, goodAnswers: row.goodAnswers, since: row.since?.getTime(), differences };
    },

    /**
     * Replaces the state `from`. Returns false if another state is stored. This is a single statement: if two processes
     * decide at once, one succeeds and the other reads its result. The statement also increments the version, so that
     * every process rereads the row.
     * @param what the row of `Refresh` to bump
     */
    async replace(what: string, from: FailoverState, to: FailoverState): Promise<boolean> {
      const since = to.since === undefined ? Prisma.sql`NULL::timestamptz` : toInstant(to.since);
      const changed = await prisma.$executeRaw`
        WITH changed AS (
          INSERT INTO source_failover AS known (what, told, good_answers, since, differences)
          VALUES (${WHAT}, ${to.served}, ${to.goodAnswers}::int, ${since}, ${JSON.stringify(to.differences)}::jsonb)
          ON CONFLICT (what) DO UPDATE SET told = excluded.told, good_answers = excluded.good_answers,
            since = excluded.since, differences = excluded.differences
          WHERE known.told = ${from.served} AND known.good_answers = ${from.goodAnswers}::int
          RETURNING what)
        INSERT INTO refresh (what, version) SELECT ${what}, 1 FROM changed
        ON CONFLICT (what) DO UPDATE SET version = refresh.version + 1`;
      return changed > 0;
    },
  };
}

export type FailoverStore = ReturnType<typeof createFailoverStore>;
