import { STATISTICS_BUDGETS, throttledStatistics } from '#domain/statistics/budget';
import { STATISTICS_SOURCES, type StatisticsSourceName } from '#domain/statistics/statistics';
import { createBreaker } from '#domain/upstream/circuit-breaker';
import { createFailover } from '#services/statistics/failover';
import { createStatistics } from '#services/statistics/statistics';
import { openStatisticsCache } from '#services/statistics/statistics-cache';
import { openBudget } from '#services/upstream/budget';
import { createSingleFlight } from '#services/upstream/single-flight';
import { openArweaveNode } from '#sources/statistics/arweave';
import { openBitcoinStats } from '#sources/statistics/bitcoin';
import { openCryptoCompare } from '#sources/statistics/cryptocompare';
import { openEthereumStats } from '#sources/statistics/ethereum';
import { openSolanaRpc } from '#sources/statistics/solana';
import { createStatisticsStore } from '#stores/statistics/statistics';
import type { Context } from './context.ts';

const OPEN = {
  cryptocompare: openCryptoCompare,
  'bitcoin-stats': openBitcoinStats,
  'ethereum-stats': openEthereumStats,
  'solana-rpc': openSolanaRpc,
  'arweave-node': openArweaveNode,
} as const satisfies Record<StatisticsSourceName, unknown>;

/** Opens the on-chain statistics: the sources, each with its budget, their failover, and the cache of records. */
export async function openStatistics(context: Context) {
  const { settings, prisma, deadline, refreshes, observe, dropped, clock, log } = context;
  const { upstreamTimeoutMs: timeoutMs, statistics } = settings;
  const { apiKey } = statistics;

  async function openOne(name: StatisticsSourceName) {
    const limits = STATISTICS_BUDGETS[name];
    const throttle = (spent: number, now: number) => throttledStatistics(name, limits, spent, now);
    const budget = await openBudget({ store: refreshes, upstream: name, budget: limits, throttle, clock });
    const breaker = createBreaker();
    const source = OPEN[name]({
      url: statistics.urls[name],
      ...(name === 'cryptocompare' && { apiKey }),
      timeoutMs,
      clock,
      reserve: budget.reserve,
      callSpacing: () => budget.schedule().apart,
      observe: observe(name),
      breaker,
    });
    return { name, source, budget, breaker, countDropped: dropped(name) };
  }
  const upstreams = await Promise.all(STATISTICS_SOURCES.map(openOne));
  const byName = Object.fromEntries(upstreams.map((upstream) => [upstream.name, upstream])) as Record<
    StatisticsSourceName,
    (typeof upstreams)[number]
  >;
  const sources = upstreams.map(({ source }) => source);

  const store = deadline.over(createStatisticsStore(prisma));
  const cache = await openStatisticsCache({ store, refreshes, clock, log });
  const failover = createFailover({
    // In the order of preference. The first tells most, and refuses whoever has no key.
    sources: sources.filter(({ name }) => name !== 'cryptocompare' || apiKey !== undefined),
    interval: (name) => byName[name].budget.schedule().every,
    cache,
    timeoutMs,
    clock,
    dropped: (name) => byName[name].countDropped(1),
  });
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, log });

  return {
    statistics: createStatistics({ cache, failover, singleFlight, clock, log }),
    /** All sources, with a key or without: what each provides is part of the interface description. */
    sources,

    /** The circuit and the budget of each upstream, for the metrics. */
    readings: () =>
      upstreams.map(({ name, breaker, budget }) => ({
        upstream: name,
        breaker: breaker.state(clock.elapsed()),
        budget: budget.reading(),
      })),

    /** Reloads what other processes have written; when there was anything, also what calls they have spent. */
    async poll(): Promise<void> {
      const known = cache.generation();
      await cache.sync();
      if (cache.generation() === known) return;
      await Promise.all(upstreams.map(({ budget }) => budget.sync()));
    },

    async close(): Promise<void> {
      for (const source of sources) await source.close();
    },
  };
}
