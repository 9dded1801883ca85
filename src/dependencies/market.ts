import { throttled } from '#domain/market/refresh-schedule';
import { frozenAfter } from '#domain/market/sources/source-failover';
import { createBreaker } from '#domain/upstream/circuit-breaker';
import { openArchiveCache } from '#services/archive/archive-cache';
import { createArchiveSummary } from '#services/archive/archive-summary';
import type { WorkingSet } from '#services/caching/working-set';
import { createBackfill, withoutFetches } from '#services/market/backfill';
import { createFetches } from '#services/market/fetches';
import { createKeyCheck } from '#services/market/key-check';
import { createLatestFailover } from '#services/market/latest-failover';
import { createMarket } from '#services/market/market';
import { createSample } from '#services/market/sample';
import { createScheduledLoad } from '#services/market/scheduled-load';
import { createWindowFailover } from '#services/market/window-failover';
import { openBudget } from '#services/upstream/budget';
import { createDemand } from '#services/upstream/demand';
import { createSingleFlight } from '#services/upstream/single-flight';
import { openCoinGecko } from '#sources/market/coingecko';
import { createArchiveStore } from '#stores/market/archive';
import { createFailoverStore } from '#stores/market/failover';
import { createDemandStore } from '#stores/upstream/demand';
import type { Context } from './context.ts';
import type { Currencies } from './currency.ts';
import { createDropped } from './dropped-samples.ts';
import type { Venue } from './kraken.ts';

type Beside = Pick<Venue, 'source'> & Pick<Currencies, 'rates'> & { workingSet: WorkingSet };

/** Opens prices and history: the aggregator with its budget, the archive, its backfill, the market. */
export async function openMarket(context: Context, { source: venue, rates, workingSet }: Beside) {
  const { settings, prisma, deadline, refreshes, catalogue, observe, differed, clock, log } = context;
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
    dropped: createDropped(context, upstream),
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
  const singleFlight = createSingleFlight({ store: refreshes, poll: archive, timeoutMs, clock, log });
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

    /** The upstream's circuit and budget, for the metrics. */
    readings: () => [{ upstream, breaker: breaker.state(clock.elapsed()), budget: budget.reading() }],

    /** Reloads what other processes have written, and what calls they have spent. */
    poll: async (): Promise<void> => void (await Promise.all([archive.sync(), budget.sync(), demand.note()])),

    async close(): Promise<void> {
      await source.close();
      await keyCheck.done;
    },
  };
}

export type Prices = Awaited<ReturnType<typeof openMarket>>;
