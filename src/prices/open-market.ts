import type { TokenName } from '#catalogue/token';
import { type Job, POLL_INTERVAL } from '#core/jobs';
import type { Rates } from '#prices/currencies/rates';
import { createHistory } from '#prices/history/history';
import { createSample } from '#prices/history/sample';
import { createValuations } from '#prices/history/valuations';
import { createWindowReader } from '#prices/history/window-reader';
import { openArchiveCache } from '#prices/latest/latest-cache';
import type { SourcedLatest } from '#prices/latest/latest-composition';
import { createLatestFigures, createRanking } from '#prices/latest/latest-figures';
import { createLatestPrices } from '#prices/latest/latest-response';
import { createArchiveStore, createFailoverStore } from '#prices/latest/latest-store';
import { PRIMARY_SOURCE } from '#prices/model/market-sources';
import { frozenAfter } from '#prices/model/price-check';
import { createBackfill } from '#prices/refresh/backfill';
import { createDemand } from '#prices/refresh/demand';
import { createDemandStore } from '#prices/refresh/demand-store';
import { createFetches } from '#prices/refresh/fetches';
import { createKeyCheck } from '#prices/refresh/key-check';
import { createLatestFailover } from '#prices/refresh/latest-failover';
import { createExchangeLatest, createPrimaryLatest } from '#prices/refresh/latest-sources';
import { createRecorder } from '#prices/refresh/recorder';
import type { RefreshDeps } from '#prices/refresh/refresh-deps';
import { createSchedule, EXCHANGE_SCHEDULE } from '#prices/refresh/refresh-schedule';
import { createWindowFailover } from '#prices/refresh/window-failover';
import type { WorkingSet } from '#prices/series/working-set';
import { openCoinGecko } from '#prices/sources/coingecko';
import { createPublisher } from '#prices/stream/publisher';
import { openBudgeted } from '#upstream/budgeted-upstream';
import type { Warning } from '#upstream/freshness';
import type { OpenedExchanges, PriceDeps } from './open-exchanges.ts';
import { createPriceDifferences } from './prices-metrics.ts';
import { createTokenReader } from './token-reader.ts';

async function openPrimary(deps: PriceDeps, refresh: RefreshDeps) {
  const { settings, catalogue, log } = deps;
  const { coingecko, marketSources } = settings;
  const { budget, dropped, options, reading } = await openBudgeted(deps, PRIMARY_SOURCE, coingecko.budget);
  const schedule = createSchedule(refresh, budget, coingecko);
  const source = openCoinGecko({
    ...options,
    ...coingecko,
    catalogue,
    dropped,
    callSpacing: () => schedule.current().latest,
    // If there is no fallback, outdated prices are better than none.
    ...(marketSources.length > 1 && { frozenAfter: () => frozenAfter(schedule.latestEvery()) }),
  });
  const keyCheck = createKeyCheck({ source, budget, configured: coingecko, log });
  return { source, fetches: createFetches(refresh, source), schedule, keyCheck, reading, sync: budget.sync };
}

type Options = Pick<OpenedExchanges, 'exchanges'> & { rates: Rates; workingSet: WorkingSet };

/** Every method of `market` throws a problem if no data can be returned. */
export async function openMarket(deps: PriceDeps, { exchanges: opened, rates, workingSet }: Options) {
  const { settings, database, deadline, responses, clock, failures } = deps;
  const { marketSources: sources, retention } = settings;
  const store = deadline.over(createArchiveStore(database.prisma));
  const failover = deadline.over(createFailoverStore(database.prisma));
  const archive = await openArchiveCache({ ...deps, store, failover, sources, workingSet });
  const demand = createDemand({ store: deadline.over(createDemandStore(database.prisma)), clock });
  const refresh = { ...deps, archive, demand, singleFlight: deps.openSingleFlight(archive), retention };
  const primary = sources.includes(PRIMARY_SOURCE) ? await openPrimary(deps, refresh) : undefined;
  const exchanges = opened
    .filter(({ name }) => sources.includes(name))
    .map((exchange) => ({ ...exchange, recorder: createRecorder(exchange.name, refresh) }));
  const [first, ...others] = [
    ...(primary ? [createPrimaryLatest(refresh, primary.fetches, primary.schedule)] : []),
    ...exchanges.map((exchange) => createExchangeLatest(refresh, exchange)),
  ];
  if (!first) throw new Error('no price source is configured');
  const differed = createPriceDifferences(deps.metrics);
  const backfill = createBackfill(refresh, {
    fetches: primary?.fetches,
    latest: createLatestFailover(refresh, { sources: [first, ...others], store: failover, differed }),
    windows: createWindowFailover(refresh, exchanges),
    schedule: primary?.schedule ?? EXCHANGE_SCHEDULE,
  });

  const reading = { archive, backfill, clock };
  const reader = createWindowReader(reading);
  const valuations = createValuations({ ...reading, reader, rates });
  const responding = { ...reading, valuations, cachedResponses: responses('prices', archive) };
  const tokenReader = createTokenReader({ ...reading, store });
  const market = {
    ...createLatestPrices(responding),
    /** The latest figures of any number of tokens in several currencies, as text in any form. */
    figures: createLatestFigures(responding),
    ranking: createRanking(store, clock),
    ...createHistory({ ...responding, reader }),
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
    /** Warnings for the operator: a smaller plan than configured, failed fetches, and failover. */
    warnings: (): Warning[] => [...(primary?.keyCheck.warnings() ?? []), ...backfill.warnings()],
    staleness: backfill.staleness,
    inactive: backfill.inactive,
    async idle(): Promise<void> {
      await primary?.keyCheck.done;
      await backfill.idle();
    },
    generation: archive.generation,
    tokens: async () => (await tokenReader())(deps.catalogue.all()),
    tokenReader,
  };
  const onError = (error: unknown) => failures.failed('price stream', error);
  const publisher = createPublisher({ archive, valuations, backfill, onError });

  return {
    archive,
    market,
    coinGecko: primary?.source,
    publisher,
    sample: createSample({ ...reading, market, reader }),
    readings: () => (primary ? [{ ...primary.reading(), inactiveTokens: market.inactive() }] : []),
    jobs: [
      ...(primary ? [{ name: 'coingecko budget', every: POLL_INTERVAL, run: primary.sync, isOfPeers: true }] : []),
      { name: 'demand', every: POLL_INTERVAL, run: demand.note, isOfPeers: true },
      publisher.job,
    ] satisfies Job[],
    async close(): Promise<void> {
      await primary?.source.close();
      await primary?.keyCheck.done;
    },
  };
}

type OpenMarket = Awaited<ReturnType<typeof openMarket>>;
export type Market = OpenMarket['market'];
