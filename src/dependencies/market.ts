import { throttled } from '#domain/market/refresh-schedule';
import { createBreaker } from '#domain/upstream/circuit-breaker';
import { openArchiveCache } from '#services/market/archive-cache';
import { createBackfill } from '#services/market/backfill';
import { createFetches } from '#services/market/fetches';
import { createKeyCheck } from '#services/market/key-check';
import { createMarket } from '#services/market/market';
import { openBudget } from '#services/upstream/budget';
import { createSingleFlight } from '#services/upstream/single-flight';
import { openCoinGecko } from '#sources/market/coingecko';
import { createArchiveStore } from '#stores/market/archive';
import type { Context } from './context.ts';
import { createDropped } from './dropped-samples.ts';

/** Opens prices and history: the aggregator with its budget, the archive, its backfill, the market. */
export async function openMarket(context: Context) {
  const { settings, prisma, deadline, refreshes, observe, clock, log } = context;
  const { coingecko, retention, upstreamTimeoutMs: timeoutMs } = settings;
  const upstream = 'coingecko';
  const breaker = createBreaker();
  const budget = await openBudget({
    store: refreshes,
    upstream,
    budget: coingecko.budget,
    throttle: (budget, spent, now) => throttled(coingecko.schedule, budget, spent, now),
    clock,
  });
  const source = openCoinGecko({
    ...coingecko,
    timeoutMs,
    clock,
    reserve: budget.reserve,
    callSpacing: () => budget.schedule().latest,
    observe: observe(upstream),
    dropped: createDropped(context, upstream),
    breaker,
  });
  const store = deadline.over(createArchiveStore(prisma));
  const archive = await openArchiveCache({ store, refreshes, clock, log });
  const singleFlight = createSingleFlight({ store: refreshes, poll: archive, timeoutMs, clock, log });
  const fetches = createFetches({ source, archive, clock, retention });
  const backfill = createBackfill({ fetches, archive, singleFlight, budget, clock });
  const keyCheck = createKeyCheck({ source, budget, configured: coingecko, log });

  return {
    archive,
    market: createMarket({ archive, backfill, keyCheck, clock }),

    /** The upstream's circuit and budget, for the metrics. */
    readings: () => [{ upstream, breaker: breaker.state(clock.elapsed()), budget: budget.reading() }],

    /** Reloads what other processes have written, and what calls they have spent. */
    poll: async (): Promise<void> => void (await Promise.all([archive.sync(), budget.sync()])),

    async close(): Promise<void> {
      await source.close();
      await keyCheck.done;
    },
  };
}

export type Prices = Awaited<ReturnType<typeof openMarket>>;
