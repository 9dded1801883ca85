import { openArchiveCache } from '#prices/archive/archive-cache';
import { createArchiveStore } from '#prices/archive/archive-store';
import { createArchiveSummary } from '#prices/archive/coverage-report';
import { createFailoverStore } from '#prices/archive/latest-store';
import type { WorkingSet } from '#prices/archive/working-set';
import type { Currencies } from '#prices/currencies/open';
import { createBackfill } from '#prices/refresh/backfill';
import { createDemand } from '#prices/refresh/demand';
import { createDemandStore } from '#prices/refresh/demand-store';
import { createFetches } from '#prices/refresh/fetches';
import { createKeyCheck } from '#prices/refresh/key-check';
import { createLatestFailover, frozenAfter } from '#prices/refresh/latest-failover';
import { createSchedule } from '#prices/refresh/refresh-schedule';
import { createWindowFailover } from '#prices/refresh/window-failover';
import { openCoinGecko } from '#prices/sources/coingecko';
import { createDropped } from '#prices/sources/dropped-samples';
import { createPublisher } from '#prices/stream/publisher';
import { openBudget } from '#upstream/budget';
import { createBreaker } from '#upstream/circuit-breaker';
import { createSingleFlight } from '#upstream/fetch-runner';
import { createMarket } from './market.ts';
import { createSample } from './market-sample.ts';
import { createPriceDifferences } from './metrics.ts';
import type { OpenKraken, PriceDeps } from './open-kraken.ts';

type Deps = Pick<OpenKraken, 'source'> & Pick<Currencies, 'rates'> & { workingSet: WorkingSet };

export async function openMarket(deps: PriceDeps, { source: kraken, rates, workingSet }: Deps) {
  const { settings, database, deadline, refreshes, versions, responses, catalogue, observe } = deps;
  const { clock, log, failures } = deps;
  const { prisma } = database;
  const differed = createPriceDifferences(deps.metrics);
  const { coingecko, marketSources, retention, upstreamTimeoutMs: timeoutMs } = settings;
  const fallback = marketSources.includes(kraken.name) ? kraken : undefined;
  const upstream = 'coingecko';
  const breaker = createBreaker();
  const budget = await openBudget({ store: refreshes, upstream, budget: coingecko.budget, clock });
  const store = deadline.over(createArchiveStore(prisma));
  const failoverStore = deadline.over(createFailoverStore(prisma));
  const archive = await openArchiveCache({
    store,
    failover: failoverStore,
    versions,
    catalogue,
    clock,
    log,
    hasFallback: fallback !== undefined,
    workingSet,
  });
  const schedule = createSchedule({ configured: coingecko.schedule, budget, archive, clock });
  const source = openCoinGecko({
    ...coingecko,
    timeoutMs,
    catalogue,
    clock,
    reserve: budget.reserve,
    callSpacing: () => schedule.current().latest,
    observe: observe(upstream),
    dropped: createDropped(deps, upstream),
    breaker,
    // Without a fallback, old prices are better than none.
    ...(fallback && { frozenAfter: () => frozenAfter(schedule.latestEvery()) }),
  });
  const demand = createDemand({ store: deadline.over(createDemandStore(prisma)), clock });
  const singleFlight = createSingleFlight({ store: refreshes, poll: archive, timeoutMs, clock, failures });
  const fetches = createFetches({ source, archive, clock, retention });
  const failover = fallback && {
    ...createLatestFailover({
      fallback,
      archive,
      catalogue,
      demand,
      store: failoverStore,
      singleFlight,
      retention,
      schedule,
      differed,
      clock,
      log,
    }),
    ...createWindowFailover({ fallback, archive, singleFlight, retention, clock }),
  };
  const backfill = createBackfill({ fetches, failover, archive, catalogue, singleFlight, demand, schedule, clock });
  const summary = createArchiveSummary({ store, clock });
  const keyCheck = createKeyCheck({ source, budget, configured: coingecko, log });

  const answers = responses('prices', archive);
  const market = createMarket({ archive, answers, summary, catalogue, backfill, keyCheck, rates, clock });
  const publisher = createPublisher({
    archive,
    priceEvents: market.priceEvents,
    backfill,
    onError: (error) => failures.failed('price stream', error),
  });

  return {
    archive,
    market,
    publisher,
    sample: createSample({ market, archive, backfill, clock }),
    readings: () => [{ upstream, breaker: breaker.state(clock.elapsed()), budget: budget.reading() }],
    /** Reads how many calls other processes have made, and shares which tokens were requested here. */
    poll: async (): Promise<void> => void (await Promise.all([budget.sync(), demand.note()])),

    async close(): Promise<void> {
      await publisher.close();
      await source.close();
      await keyCheck.done;
    },
  };
}

export type OpenMarket = Awaited<ReturnType<typeof openMarket>>;
