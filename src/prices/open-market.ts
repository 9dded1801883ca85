import { type Job, POLL_INTERVAL } from '#core/jobs';
import type { Rates } from '#prices/currencies/rates';
import { createSample } from '#prices/history/sample';
import { createFailoverStore } from '#prices/latest/failover-store';
import { openArchiveCache } from '#prices/latest/latest-cache';
import { createArchiveStore } from '#prices/latest/latest-store';
import { openCoinGeckoMarket } from '#prices/open-coingecko';
import { createBackfill } from '#prices/refresh/backfill';
import { createDemand } from '#prices/refresh/demand';
import { createDemandStore } from '#prices/refresh/demand-store';
import { createRecorder } from '#prices/refresh/fetches';
import { createLatestFailover } from '#prices/refresh/latest-failover';
import { createExchangeLatest, createPrimaryLatest } from '#prices/refresh/latest-sources';
import { EXCHANGE_SCHEDULE } from '#prices/refresh/refresh-schedule';
import { createWindowFailover } from '#prices/refresh/window-failover';
import { createArchiveSummary } from '#prices/series/coverage-report';
import type { WorkingSet } from '#prices/series/working-set';
import { createPublisher } from '#prices/stream/publisher';
import { createMarket } from './market.ts';
import { PRIMARY_SOURCE } from './model/market-sources.ts';
import type { OpenedExchanges, PriceDeps } from './open-exchanges.ts';
import { createPriceDifferences } from './prices-metrics.ts';

type Options = Pick<OpenedExchanges, 'exchanges'> & { rates: Rates; workingSet: WorkingSet };

export async function openMarket(deps: PriceDeps, { exchanges: opened, rates, workingSet }: Options) {
  const { settings, database, deadline, responses, clock, failures } = deps;
  const { marketSources: sources, retention } = settings;
  const store = deadline.over(createArchiveStore(database.prisma));
  const failover = deadline.over(createFailoverStore(database.prisma));
  const archive = await openArchiveCache({ ...deps, store, failover, sources, workingSet });
  const demand = createDemand({ store: deadline.over(createDemandStore(database.prisma)), clock });
  const singleFlight = deps.openSingleFlight(archive);
  const refresh = { ...deps, archive, demand, singleFlight, retention };
  const coingecko = sources.includes(PRIMARY_SOURCE) ? await openCoinGeckoMarket(deps, refresh) : undefined;
  const exchanges = opened
    .filter(({ name }) => sources.includes(name))
    .map((exchange) => ({ ...exchange, recorder: createRecorder(exchange.name, refresh) }));
  const [first, ...others] = [
    ...(coingecko ? [createPrimaryLatest(refresh, coingecko.fetches, coingecko.schedule)] : []),
    ...exchanges.map((exchange) => createExchangeLatest(refresh, exchange)),
  ];
  if (!first) throw new Error('no price source is configured');
  const differed = createPriceDifferences(deps.metrics);
  const latest = createLatestFailover(refresh, { sources: [first, ...others], store: failover, differed });
  const backfill = createBackfill(refresh, {
    fetches: coingecko?.fetches,
    latest,
    windows: createWindowFailover(refresh, exchanges),
    schedule: coingecko?.schedule ?? EXCHANGE_SCHEDULE,
  });
  const market = createMarket({
    ...refresh,
    catalogue: deps.catalogue,
    cachedResponses: responses('prices', archive),
    summary: createArchiveSummary({ store, clock }),
    store,
    backfill,
    keyCheck: coingecko?.keyCheck,
    rates,
  });
  const publisher = createPublisher({
    archive,
    priceEvents: market.priceEvents,
    backfill,
    onError: (error) => failures.failed('price stream', error),
  });

  return {
    archive,
    market,
    /** CoinGecko's coins, if it is a source. */
    coinGecko: coingecko?.source,
    publisher,
    sample: createSample({ market, archive, backfill, clock }),
    readings: () => (coingecko ? [{ ...coingecko.reading(), inactiveTokens: market.inactive() }] : []),
    jobs: [
      ...(coingecko ? [{ name: 'coingecko budget', every: POLL_INTERVAL, run: coingecko.sync, isOfPeers: true }] : []),
      { name: 'demand', every: POLL_INTERVAL, run: demand.note, isOfPeers: true },
      publisher.job,
    ] satisfies Job[],
    close: async (): Promise<void> => coingecko?.close(),
  };
}

export type OpenMarket = Awaited<ReturnType<typeof openMarket>>;
