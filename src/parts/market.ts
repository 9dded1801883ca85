import { createBreaker } from '../domain/breaker.ts';
import { stretched } from '../domain/budget.ts';
import { openBudget } from '../services/budget.ts';
import { createFetches } from '../services/fetches.ts';
import { createFilling } from '../services/filling.ts';
import { openHoldings } from '../services/holdings.ts';
import { createMarket } from '../services/market.ts';
import { createRefreshing } from '../services/refreshing.ts';
import { openCoinGecko } from '../sources/coingecko.ts';
import { createArchiveStore } from '../stores/archive.ts';
import type { Ground } from './ground.ts';

/** Opens what prices and history are made of: the aggregator and its budget, the archive, what fills it, the verbs. */
export async function openMarket({ settings, prisma, refreshes, observe, clock, log }: Ground) {
  const { coingecko, upstreamTimeoutMs: timeoutMs } = settings;
  const upstream = 'coingecko';
  const breaker = createBreaker();
  const budget = await openBudget({
    store: refreshes,
    upstream,
    budget: coingecko.budget,
    stretch: (spent, now) => stretched(coingecko.timetable, coingecko.budget, spent, now),
    clock,
  });
  const source = openCoinGecko({
    ...coingecko,
    timeoutMs,
    clock,
    reserve: budget.reserve,
    interval: () => budget.timetable().latest,
    observe: observe(upstream),
    breaker,
  });
  const holdings = await openHoldings({ store: createArchiveStore(prisma), refreshes, clock });
  const refreshing = createRefreshing({ store: refreshes, watch: holdings, timeoutMs, clock, log });
  const fetches = createFetches({ source, holdings, clock });
  const filling = createFilling({ fetches, holdings, refreshing, budget, clock });

  return {
    market: createMarket({ holdings, filling, clock }),

    /** How the upstream stands. */
    readings: () => [{ upstream, breaker: breaker.state(clock.elapsed()), budget: budget.reading() }],

    /** Takes over what other processes have written, and what calls it has cost them. */
    watch: async (): Promise<void> => void (await Promise.all([holdings.sync(), budget.sync()])),

    close: source.close,
  };
}
