import { openArchiveCache } from '#prices/archive/archive-cache';
import { createArchiveStore } from '#prices/archive/archive-store';
import { createArchiveSummary } from '#prices/archive/archive-summary';
import type { WorkingSet } from '#prices/archive/working-set';
import type { Currencies } from '#prices/currencies/open';
import { createWindowFailover } from '#prices/history/window-failover';
import { createFailoverStore } from '#prices/latest/failover-store';
import { createLatestFailover } from '#prices/latest/latest-failover';
import { frozenAfter } from '#prices/latest/source-failover';
import { createSample } from '#prices/market-sample/sample';
import { createBackfill, withoutFetches } from '#prices/refresh/backfill';
import { createDemand } from '#prices/refresh/demand';
import { createDemandStore } from '#prices/refresh/demand-store';
import { createFetches } from '#prices/refresh/fetches';
import { createKeyCheck } from '#prices/refresh/key-check';
import { throttled } from '#prices/refresh/refresh-schedule';
import { createScheduledLoad } from '#prices/refresh/scheduled-load';
import { openCoinGecko } from '#prices/sources/coingecko';
import { createDropped } from '#prices/sources/dropped-samples';
import { openBudget } from '#upstream/budget';
import { createBreaker } from '#upstream/circuit-breaker';
import { createSingleFlight } from '#upstream/single-flight';
import { createMarket } from './market.ts';
import { createPriceDifferences } from './metrics.ts';
import type { PriceDeps, Venue } from './open-kraken.ts';

type Beside = Pick<Venue, 'source'> & Pick<Currencies, 'rates'> & { workingSet: WorkingSet };

/** Opens prices and history: the aggregator with its budget, the archive, its backfill, the market. */
export async function openMarket(deps: PriceDeps, { source: venue, rates, workingSet }: Beside) {
  const { settings, database, deadline, refreshes, catalogue, observe, clock, log, failures } = deps;
  const { prisma } = database;
  const differed = createPriceDifferences(deps.metrics);
  const { coingecko, marketSources: line, retention, upstreamTimeoutMs: timeoutMs } = settings;
  const next = line.includes(venue.name) ? venue : undefined;
  const upstream = 'coingecko';
  const breaker = createBreaker();
  const budget = await openBudget({
    store: refreshes,
    upstream,
    budget: coingecko.budget,
    throttle: (budget, spent, now) => throttled(coingecko.schedule, budget, spent, now, load()),
    clock,
  });
  /** How often the latest prices are fetched; as configured where the budget has no call left for them. */
  const every = () => {
    const { latest } = budget.schedule();
    return Number.isFinite(latest) ? latest : coingecko.schedule.latest;
  };
  const source = openCoinGecko({
    ...coingecko,
    timeoutMs,
    catalogue,
    clock,
    reserve: budget.reserve,
    callSpacing: () => budget.schedule().latest,
    observe: observe(upstream),
    dropped: createDropped(deps, upstream),
    breaker,
    // With nobody to take its place, old figures are better than none.
    ...(next && { frozenAfter: () => frozenAfter(every()) }),
  });
  const store = deadline.over(createArchiveStore(prisma, line));
  const failoverStore = deadline.over(createFailoverStore(prisma));
  const archive = await openArchiveCache({
    ...{ store, failover: failoverStore, refreshes, catalogue, clock, log, line, workingSet },
  });
  const load = createScheduledLoad({ archive, clock });
  const demand = createDemand({ store: deadline.over(createDemandStore(prisma)), clock });
  const singleFlight = createSingleFlight({ store: refreshes, poll: archive, timeoutMs, clock, failures });
  const fetches = createFetches({ source, archive, clock, retention });
  const hasBudget = () => Number.isFinite(budget.schedule().latest);
  const failover = next && {
    ...createLatestFailover({
      ...{ first: upstream, next, archive, catalogue, demand, store: failoverStore, singleFlight, retention },
      ...{ every, hasBudget, differed, clock, log },
    }),
    ...createWindowFailover({ next, archive, singleFlight, retention, clock }),
  };
  const backfill = createBackfill({
    ...{ fetches, failover, archive, catalogue, singleFlight, demand, budget, clock },
  });
  const summary = createArchiveSummary({ store, clock });
  const keyCheck = createKeyCheck({ source, budget, configured: coingecko, log });

  const parts = { archive, summary, catalogue, keyCheck, rates, clock };
  const market = createMarket({ ...parts, backfill });
  const stored = createMarket({ ...parts, backfill: withoutFetches(backfill) });

  return {
    archive,
    market,
    /** What everybody may see of it. */
    sample: createSample({ market, stored, clock }),

    readings: () => [{ upstream, breaker: breaker.state(clock.elapsed()), budget: budget.reading() }],

    /** Reloads what other processes have written, and what calls they have spent. */
    poll: async (): Promise<void> => void (await Promise.all([archive.sync(), budget.sync(), demand.note()])),

    async close(): Promise<void> {
      await source.close();
      await keyCheck.done;
    },
  };
}

export type OpenMarket = Awaited<ReturnType<typeof openMarket>>;
