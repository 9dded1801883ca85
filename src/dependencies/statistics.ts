import { STATISTICS_BUDGETS, throttledStatistics } from '#domain/statistics/budget';
import {
  STATISTICS_SOURCES,
  type StatisticsSource,
  type StatisticsSourceName,
} from '#domain/statistics/statistics';
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

/** Opens the on-chain statistics: the sources, each with its budget, their failover, and the cache of records. */
export async function openStatistics(context: Context) {
  const { settings, prisma, deadline, refreshes, observe, dropped, clock, log } = context;
  const { statistics: from, upstreamTimeoutMs: timeoutMs } = settings;

  const budgetFor = (name: StatisticsSourceName) => {
    const budget = STATISTICS_BUDGETS[name];
    const throttle = (spent: number, now: number) => throttledStatistics(name, budget, spent, now);
    return openBudget({ store: refreshes, upstream: name, budget, throttle, clock });
  };
  const entries = STATISTICS_SOURCES.map(async (name) => {
    const budget = await budgetFor(name);
    return [name, { budget, breaker: createBreaker(), countDropped: dropped(name) }] as const;
  });
  const upstreams = Object.fromEntries(await Promise.all(entries)) as Record<
    StatisticsSourceName,
    Awaited<(typeof entries)[number]>[1]
  >;
  const optionsFor = (name: StatisticsSourceName, url: string) => ({
    url,
    timeoutMs,
    clock,
    reserve: upstreams[name].budget.reserve,
    callSpacing: () => upstreams[name].budget.schedule().apart,
    observe: observe(name),
    breaker: upstreams[name].breaker,
  });

  const { apiKey } = from.cryptocompare;
  const withKey = openCryptoCompare({ ...optionsFor('cryptocompare', from.cryptocompare.url), apiKey });
  const withoutKey = {
    'bitcoin-stats': openBitcoinStats(optionsFor('bitcoin-stats', from.bitcoinUrl)),
    'ethereum-stats': openEthereumStats(optionsFor('ethereum-stats', from.ethereumUrl)),
    'solana-rpc': openSolanaRpc(optionsFor('solana-rpc', from.solanaUrl)),
    'arweave-node': openArweaveNode(optionsFor('arweave-node', from.arweaveUrl)),
  } satisfies Record<Exclude<StatisticsSourceName, 'cryptocompare'>, StatisticsSource>;
  const keyless = Object.values(withoutKey);
  const sources: StatisticsSource[] = [withKey, ...keyless];

  const store = deadline.over(createStatisticsStore(prisma));
  const cache = await openStatisticsCache({ store, refreshes, clock, log });
  const failover = createFailover({
    sources: apiKey === undefined ? keyless : sources,
    every: (name) => upstreams[name].budget.schedule().every,
    cache,
    timeoutMs,
    clock,
    dropped: (name) => upstreams[name].countDropped(1),
  });
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, log });

  return {
    statistics: createStatistics({ cache, failover, singleFlight, clock, log }),
    /** All sources, with a key or without: what each provides is part of the interface description. */
    sources,

    /** The circuit and the budget of each upstream, for the metrics. */
    readings: () =>
      STATISTICS_SOURCES.map((upstream) => ({
        upstream,
        breaker: upstreams[upstream].breaker.state(clock.elapsed()),
        budget: upstreams[upstream].budget.reading(),
      })),

    /** Reloads what other processes have written; when there was anything, also what calls they have spent. */
    async poll(): Promise<void> {
      const known = cache.generation();
      await cache.sync();
      if (cache.generation() === known) return;
      await Promise.all(Object.values(upstreams).map(({ budget }) => budget.sync()));
    },

    async close(): Promise<void> {
      for (const source of sources) await source.close();
    },
  };
}
