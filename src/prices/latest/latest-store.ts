import type { TokenName } from '#catalogue/token';
import { DAY, type Span } from '#core/clock';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { LatestPriceModel } from '#generated/prisma/models';
import {
  isMarketSource,
  type MarketSourceName,
  PRIMARY_SOURCE,
  sourcesPreferredOver,
} from '#prices/model/market-sources';
import { type LatestPrice, latestPrice, type MarketFigures, marketFigures } from '#prices/model/prices-records';
import { createPointStore } from '#prices/series/point-store';
import { countImplausible, locksOf } from '#prices/series/series-store';
import { isReplaceable, POINT_TABLE, sqlSourceIn } from '#prices/series/sql-store';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import { type ImplausibleRows, implausibleRow, isPlausible } from '#upstream/items/plausible';

/** The last valid latest price of a token from a source. Instants in Unix ms. */
export type LatestRow = {
  token: TokenName;
  source: MarketSourceName;
  record: LatestPrice;
  /** Further figures from CoinGecko. Null or undefined for other sources. */
  market?: MarketFigures | null;
  at: number;
  fetchedAt: number;
  /** A newer price that becomes the price only after the next response confirms it. */
  heldPrice?: number | null;
};
type Quotes = readonly Omit<LatestRow, 'source'>[];

export const pricesOf = (rows: readonly LatestRow[]) =>
  rows.map(({ record, ...row }) => ({ ...row, price: record.current_price }));

/** Prices in a response that may belong to other tokens or be wrong. */
type DoubtfulPrices = {
  /** The tokens whose prices are stored, but not as samples. */
  contradicted: ReadonlySet<TokenName>;
  held: readonly { token: TokenName; price: number }[];
};

/** Returns undefined for an unknown source or an implausible price. */
function readLatest(
  { token, source, record: stored, market: further, at, fetchedAt, heldPrice }: LatestPriceModel,
  times: Span,
): LatestRow | undefined {
  const { data: record } = latestPrice.safeParse(stored);
  if (!isMarketSource(source) || !record) return undefined;
  const market = marketFigures.safeParse(further).data ?? null;
  const row = { token, source, record, market, at: at.getTime(), fetchedAt: fetchedAt.getTime(), heldPrice };
  return isPlausible({ at: row.at, price: record.current_price }, times) ? row : undefined;
}

/** Sends rows as one JSON text. The server parses the digits of each figure, so no figure is rounded. */
const quoteRows = (quotes: Quotes) => Prisma.sql`
  SELECT token, record, market, to_timestamp(at / 1000)::timestamptz(3) AS at,
    to_timestamp("fetchedAt" / 1000)::timestamptz(3) AS fetched_at
  FROM json_to_recordset(${JSON.stringify(quotes)}::json)
    AS row(token text, record jsonb, market jsonb, at float8, "fetchedAt" float8)`;

const writeLatest = (source: MarketSourceName, quotes: Quotes) => Prisma.sql`
  INSERT INTO latest_price (token, source, record, market, at, fetched_at)
  SELECT token, ${source}, record, market, at, fetched_at FROM (${quoteRows(quotes)}) AS given
  ON CONFLICT (token, source) DO UPDATE
  SET record = excluded.record, market = excluded.market, at = excluded.at, fetched_at = excluded.fetched_at, held_price = NULL`;

const writeHeld = (source: MarketSourceName, held: DoubtfulPrices['held']) => Prisma.sql`
  UPDATE latest_price SET held_price = held.price
  FROM json_to_recordset(${JSON.stringify(held)}::json) AS held(token text, price float8)
  WHERE latest_price.token = held.token AND latest_price.source = ${source}`;

/** Also stores each price as a sample, unless its slot has a permanent row or a preferred source covers its time. */
function writeSamples(interval: 'minute' | 'hour', source: MarketSourceName, quotes: Quotes): Prisma.Sql {
  const preferred = sourcesPreferredOver(source);
  const replaceable = isReplaceable(POINT_TABLE, preferred);
  // An existing row of an hour is not replaced.
  const stays = interval === 'hour' ? Prisma.sql`true` : Prisma.sql`NOT (${replaceable})`;
  const slot = Prisma.sql`date_trunc(${interval}, given.at, 'UTC')`;
  const figure = (name: string) => Prisma.sql`(record ->> ${name})::float8`;
  // One look-up per row. Otherwise, the planner would read the whole table for 250 keys.
  return Prisma.sql`
    INSERT INTO point (token, "interval", at, ${POINT_TABLE.columns})
    SELECT given.token, ${interval}::series_interval, given.at, ${figure('current_price')}, ${figure('market_cap')},
      ${figure('total_volume')}, false, ${source}, ${preferred.length > 0}::boolean
    FROM (${quoteRows(quotes)}) AS given
    LEFT JOIN LATERAL (
      SELECT true AS is_there FROM point
      WHERE point.token = given.token AND "interval" = ${interval}::series_interval AND ${stays}
        AND point.at >= ${slot} AND point.at < ${slot} + ${`1 ${interval}`}::interval LIMIT 1) AS taken ON true
    LEFT JOIN LATERAL (
      SELECT true AS is_there FROM point_coverage c
      WHERE c.token = given.token AND "interval" = ${interval}::series_interval AND ${sqlSourceIn('c.source', preferred)}
        AND given.at BETWEEN c."from" AND c.thru LIMIT 1) AS covered ON true
    WHERE taken.is_there IS NULL AND covered.is_there IS NULL
    ON CONFLICT (token, "interval", at) DO UPDATE SET ${POINT_TABLE.replaced} WHERE ${replaceable}`;
}

/** CoinGecko's first price in an hour is also the hour's sample. Exchanges' hours come from candles. */
const writeQuotes = (source: MarketSourceName, quotes: Quotes): Prisma.Sql[] => [
  writeSamples('minute', source, quotes),
  ...(source === PRIMARY_SOURCE ? [writeSamples('hour', source, quotes)] : []),
];

type PriceTimes = { token: TokenName; pricedAt: number | null; respondedAt: number | null };

/** A token is inactive if its price in the last response was older than this, in ms. */
const INACTIVE_AFTER = DAY;

/** Whether the sources no longer report a price. A token that has not been requested is active. */
export const isInactive = ({ pricedAt, respondedAt }: Omit<PriceTimes, 'token'>): boolean =>
  respondedAt !== null && respondedAt - (pricedAt ?? Number.NEGATIVE_INFINITY) > INACTIVE_AFTER;

export type RankedFigures = {
  token: TokenName;
  marketCap: number | null;
  volume: number | null;
  rank: number | null;
  image: string | null;
};

export function createArchiveStore(prisma: PrismaClient) {
  const points = createPointStore(prisma);
  const latestOf = (tokens?: readonly TokenName[]) =>
    prisma.latestPrice.findMany({ ...(tokens && { where: { token: { in: [...tokens] } } }) });

  return {
    ...points,

    /** Stores a response's latest prices. Unless a price is doubtful, it is also stored as a point. */
    async recordLatest(
      source: MarketSourceName,
      what: string,
      rows: readonly Omit<LatestRow, 'source'>[],
      fetchedAt: number,
      { contradicted, held }: DoubtfulPrices = { contradicted: new Set(), held: [] },
    ): Promise<void> {
      const sampled = rows.filter(({ token }) => !contradicted.has(token));
      await prisma.$transaction([
        ...locksOf(prisma, POINT_TABLE, source),
        prisma.$executeRaw(writeLatest(source, rows)),
        ...(held.length > 0 ? [prisma.$executeRaw(writeHeld(source, held))] : []),
        ...writeQuotes(source, sampled).map((write) => prisma.$executeRaw(write)),
        prisma.$executeRaw(bumpVersion(what, fetchedAt)),
      ]);
    },

    latest: async (tokens: readonly TokenName[], times: Span): Promise<LatestRow[]> =>
      (await latestOf(tokens)).flatMap((row) => readLatest(row, times) ?? []),

    /** The last market cap and volume (USD), rank and image of each token with a price from the primary source. */
    figures: (): Promise<RankedFigures[]> =>
      prisma.$queryRaw`
        SELECT token, (record ->> 'market_cap')::float8 AS "marketCap", (record ->> 'total_volume')::float8 AS volume,
          (market ->> 'market_cap_rank')::float8 AS rank, market ->> 'image' AS image
        FROM latest_price WHERE source = ${PRIMARY_SOURCE}`,

    /** For each served token, the times of the last price and of the last response about the token (Unix ms). */
    async priceTimes(): Promise<PriceTimes[]> {
      return prisma.$queryRaw<PriceTimes[]>`
        SELECT name AS token, extract(epoch FROM max(at))::float8 * 1000 AS "pricedAt",
          extract(epoch FROM greatest(max(fetched_at), unpriced_at))::float8 * 1000 AS "respondedAt"
        FROM token LEFT JOIN latest_price ON token = name
        WHERE removed_at IS NULL GROUP BY name, unpriced_at`;
    },

    /** Stored rows with a time outside the span or an implausible figure. They are not served. */
    async implausibleRows(times: Span, tokens?: readonly TokenName[]): Promise<ImplausibleRows[]> {
      const rows = await points.implausibleRows(times, tokens);
      const isPlausible = Prisma.sql`("from" >= ${toInstant(times.from)} AND thru <= ${toInstant(times.thru + DAY)})`;
      const coverage = {
        from: POINT_TABLE.coverageTable,
        what: `'coverage'`,
        by: 'token',
        column: 'thru',
        isPlausible,
      };
      const spans = await countImplausible(prisma, coverage, tokens);
      const latest = (await latestOf(tokens))
        .filter((row) => !readLatest(row, times))
        .map(({ token, at }) => implausibleRow(token, 'latest', at));
      return [...rows, ...spans, ...latest];
    },
  };
}

export type ArchiveStore = ReturnType<typeof createArchiveStore>;

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
