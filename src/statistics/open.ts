import type { Context } from '#open-context';
import { openArweaveNode } from '#statistics/sources/arweave';
import { openBitcoinStats } from '#statistics/sources/bitcoin';
import { openCryptoCompare } from '#statistics/sources/cryptocompare';
import { openEthereumStats } from '#statistics/sources/ethereum';
import { openMempool } from '#statistics/sources/mempool';
import { openSolanaRpc } from '#statistics/sources/solana';
import type { StatisticsOptions } from '#statistics/sources/source';
import { openBudget } from '#upstream/budget';
import { createBreaker } from '#upstream/circuit-breaker';
import { createSingleFlight } from '#upstream/single-flight';
import { STATISTICS_BUDGETS, throttledStatistics } from './budget.ts';
import type { ConfiguredSource } from './configured-sources.ts';
import { createFailover } from './failover.ts';
import { createStatistics } from './statistics.ts';
import { openStatisticsCache } from './statistics-cache.ts';
import { STATISTICS_KINDS, type StatisticsKind, type StatisticsSource } from './statistics-sources.ts';
import { createStatisticsStore } from './statistics-store.ts';

const OPEN: Record<StatisticsKind, (options: StatisticsOptions) => StatisticsSource> = {
  cryptocompare: openCryptoCompare,
  'bitcoin-stats': openBitcoinStats,
  'bitcoin-mempool': openMempool,
  'ethereum-stats': openEthereumStats,
  'solana-rpc': openSolanaRpc,
  'arweave-node': openArweaveNode,
};

/** Opens the on-chain statistics: the sources, each with its budget, their failover, and the cache of records. */
export async function openStatistics(context: Context) {
  const { settings, prisma, deadline, refreshes, observe, dropped, clock, log, failures } = context;
  const { upstreamTimeoutMs: timeoutMs, statistics: line } = settings;

  async function openOne({ name, kind, url, apiKey }: ConfiguredSource) {
    const limits = STATISTICS_BUDGETS[kind];
    const budget = await openBudget({
      store: refreshes,
      upstream: name,
      budget: limits,
      throttle: (budget, spent, now) => throttledStatistics(kind, budget, spent, now),
      clock,
    });
    const breaker = createBreaker();
    const source = OPEN[kind]({
      name,
      url,
      apiKey,
      timeoutMs,
      clock,
      reserve: budget.reserve,
      callSpacing: () => budget.schedule().apart,
      observe: observe(name),
      breaker,
    });
    // The one that tells most refuses whoever has no key.
    const isAsked = kind !== 'cryptocompare' || apiKey !== undefined;
    return { name, source, isAsked, budget, breaker, countDropped: dropped(name) };
  }
  const upstreams = await Promise.all(line.map(openOne));
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  const sources = upstreams.map(({ source }) => source);

  const store = deadline.over(createStatisticsStore(prisma));
  const cache = await openStatisticsCache({
    ...{ store, refreshes, sources: upstreams.map(({ name }) => name), clock, log },
  });
  const failover = createFailover({
    sources: upstreams.filter(({ isAsked }) => isAsked).map(({ source }) => source),
    interval: (name) => byName.get(name)?.budget.schedule().every ?? Number.POSITIVE_INFINITY,
    cache,
    timeoutMs,
    clock,
    dropped: (name) => byName.get(name)?.countDropped(1),
  });
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, failures });

  return {
    statistics: createStatistics({ cache, failover, singleFlight, clock, log }),
    /** One source of each kind, with a key or without: what it tells is part of the interface description. */
    sources: sources.filter(({ name }) => STATISTICS_KINDS.some((kind) => kind === name)),

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
