import { type Catalogue, knownSince } from '#catalogue/catalogue';
import type { Token, TokenName } from '#catalogue/token';
import type { Rates } from '#prices/currencies/rates';
import type { ReaderDeps } from '#prices/history/empty-window';
import { createHistory } from '#prices/history/history';
import { createValuations } from '#prices/history/valuations';
import { createWindowReader } from '#prices/history/window-reader';
import type { SourcedLatest } from '#prices/latest/latest-composition';
import { createLatestFigures } from '#prices/latest/latest-figures';
import { createRanking } from '#prices/latest/latest-ranking';
import { createLatestPrice, createLatestResponses, createLatestTable } from '#prices/latest/latest-response';
import { type ArchiveStore, isInactive } from '#prices/latest/latest-store';
import { createPriceEvents } from '#prices/latest/price-events';
import { firstProvided } from '#prices/refresh/backfill-plan';
import type { KeyCheck } from '#prices/refresh/key-check';
import { createStaleness } from '#prices/refresh/staleness';
import type { createArchiveSummary } from '#prices/series/coverage-report';
import type { SeriesSummary } from '#prices/series/series-store';
import type { CachedResponses } from '#server/responses/response-cache';
import type { Warning } from '#upstream/freshness';
import { INTERVALS, type Interval } from './model/interval.ts';

type Deps = ReaderDeps & {
  cachedResponses: CachedResponses;
  summary: ReturnType<typeof createArchiveSummary>;
  store: Pick<ArchiveStore, 'priceTimes' | 'figures'>;
  catalogue: Pick<Catalogue, 'all'>;
  keyCheck: KeyCheck | undefined;
  rates: Rates;
};

/** The archived span and number of points of an interval, across all sources. */
function heldOf(rows: readonly SeriesSummary[], interval: Interval) {
  const ofInterval = rows.filter((row) => row.interval === interval);
  if (ofInterval.length === 0) return undefined;
  return {
    interval,
    from: Math.min(...ofInterval.map(({ from }) => from)),
    thru: Math.max(...ofInterval.map(({ thru }) => thru)),
    points: ofInterval.reduce((sum, { points }) => sum + points, 0),
  };
}

/** Every method throws a problem if no data can be returned. */
export function createMarket(deps: Deps) {
  const { archive, summary, store, catalogue, backfill, keyCheck, clock } = deps;
  const reader = createWindowReader(deps);
  const valuations = createValuations({ ...deps, reader });
  const latestResponse = createLatestResponses({ ...deps, valuations });

  /**
   * Reads the state of the archive once.
   * @returns a function that reports tokens: the first instant with data and the time of the last price (Unix ms), the
   * archived spans, and the time of the first price of each interval
   */
  async function tokenReader() {
    const [summaryOf, times] = await Promise.all([summary(), store.priceTimes()]);
    const timesOf = new Map(times.map((time) => [time.token, time]));

    return async (tokens: readonly Token[]) => {
      const rowsOf = await summaryOf(tokens);
      return tokens.map((token) => {
        const rows = rowsOf.get(token.name) ?? [];
        const held = INTERVALS.flatMap((interval) => heldOf(rows, interval) ?? []);
        const firstDay = held.find(({ interval }) => interval === 'day')?.from;
        const listedAt = knownSince(token, firstDay);
        const firstPrice = (interval: Interval) => {
          const stored = held.find((span) => span.interval === interval)?.from ?? Number.POSITIVE_INFINITY;
          const provided = firstProvided(interval, { reach: backfill.reach(interval), now: clock.now() });
          return Math.min(stored, Math.max(listedAt, provided));
        };
        const { pricedAt = null, respondedAt = null } = timesOf.get(token.name) ?? {};
        return { token, listedAt, held, firstPrice, pricedAt, isInactive: isInactive({ pricedAt, respondedAt }) };
      });
    };
  }

  return {
    latest: createLatestPrice({ archive, latestResponse }),
    latestOf: createLatestTable({ archive, latestResponse }),
    /** The latest figures of any number of tokens in several currencies, as text in any form. */
    figures: createLatestFigures({ ...deps, valuations }),
    ranking: createRanking(store, clock),
    valuationOf: valuations.ofWindow,
    /** The first instant (Unix ms) that a source or the archive provides for an interval. */
    reach: backfill.reach,
    /** The latest price in memory of a token that has been requested before. */
    async loadedLatest(token: TokenName): Promise<SourcedLatest | undefined> {
      await archive.load(token);
      return archive.latest(token);
    },
    /** The first instant (Unix ms) for which data of a token exists. */
    async beginning(token: TokenName): Promise<number> {
      await archive.load(token);
      return archive.beginning(token);
    },
    priceEvents: createPriceEvents({ archive, valuations }),
    ...createHistory({ ...deps, reader, valuations }),

    /**
     * Warnings for the operator: differences between the key's plan and the configured plan, failed fetches, and
     * failover.
     */
    warnings: (): Warning[] => [...(keyCheck?.warnings() ?? []), ...backfill.warnings()],
    staleness: createStaleness({ archive, backfill, clock }),
    inactive: backfill.inactive,

    async idle(): Promise<void> {
      await keyCheck?.done;
      await backfill.idle();
    },

    generation: archive.generation,

    tokens: async () => (await tokenReader())(catalogue.all()),
    tokenReader,
  };
}

export type Market = ReturnType<typeof createMarket>;
