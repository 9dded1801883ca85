import { DAY } from '#core/clock';
import type { Capability, CapabilityDeps } from '#server/capability';
import { openArweaveNode } from '#statistics/sources/arweave';
import { openBitcoinStats, openMempool } from '#statistics/sources/bitcoin';
import { openCryptoCompare } from '#statistics/sources/cryptocompare';
import { openEthereumStats } from '#statistics/sources/ethereum';
import { openSolanaRpc } from '#statistics/sources/solana';
import type { StatisticsOptions } from '#statistics/sources/source';
import { openBudget } from '#upstream/budget';
import { createBreaker } from '#upstream/circuit-breaker';
import { sourcedComponent } from '#upstream/component';
import { createSingleFlight } from '#upstream/fetch-runner';
import { STATISTICS_BUDGETS, throttledStatistics } from './budget.ts';
import { createFailover } from './failover.ts';
import { stats } from './routes.ts';
import type { StatisticsSettings } from './settings.ts';
import { createStatistics } from './statistics.ts';
import { openStatisticsCache } from './statistics-cache.ts';
import {
  type ConfiguredSource,
  STATISTICS_KINDS,
  type StatisticsKind,
  type StatisticsSource,
} from './statistics-sources.ts';
import { createStatisticsStore } from './statistics-store.ts';

const OPEN: Record<StatisticsKind, (options: StatisticsOptions) => StatisticsSource> = {
  cryptocompare: openCryptoCompare,
  'bitcoin-stats': openBitcoinStats,
  'bitcoin-mempool': openMempool,
  'ethereum-stats': openEthereumStats,
  'solana-rpc': openSolanaRpc,
  'arweave-node': openArweaveNode,
};

/** Statistics older than this count as missing while every source fails, in ms. */
const USEFUL_FOR = DAY;

export async function openStatistics(deps: CapabilityDeps<StatisticsSettings>) {
  const { settings, database, deadline, refreshes, versions, responses, observe, dropped } = deps;
  const { clock, log, failures, outcomes } = deps;
  const { upstreamTimeoutMs: timeoutMs, statistics: configured } = settings;

  async function openOne({ name, kind, url, apiKey }: ConfiguredSource) {
    const budget = await openBudget({ store: refreshes, upstream: name, budget: STATISTICS_BUDGETS[kind], clock });
    const schedule = () => throttledStatistics(kind, budget.current());
    const breaker = createBreaker();
    const source = OPEN[kind]({
      name,
      url,
      apiKey,
      timeoutMs,
      clock,
      reserve: budget.reserve,
      callSpacing: () => schedule().apart,
      observe: observe(name),
      breaker,
    });
    // CryptoCompare rejects requests without a key.
    const isUsed = kind !== 'cryptocompare' || apiKey !== undefined;
    return { name, source, isUsed, budget, schedule, breaker, countDropped: dropped(name) };
  }
  const upstreams = await Promise.all(configured.map(openOne));
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  const sources = upstreams.map(({ source }) => source);
  const store = deadline.over(createStatisticsStore(database.prisma));
  const cache = await openStatisticsCache({ store, versions, sources: [...byName.keys()], clock, log });
  const failover = createFailover({
    sources: upstreams.filter(({ isUsed }) => isUsed).map(({ source }) => source),
    interval: (name) => byName.get(name)?.schedule().every ?? Number.POSITIVE_INFINITY,
    cache,
    timeoutMs,
    clock,
    dropped: (name) => byName.get(name)?.countDropped(1),
  });
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, failures });
  const answers = responses('statistics', cache);
  const statistics = createStatistics({ cache, answers, failover, singleFlight, clock, log });
  /** The API description contains the figures of one source of each kind, with or without a key. */
  const described = sources.filter(({ name }) => STATISTICS_KINDS.some((kind) => kind === name));
  let polled = cache.generation();

  const component = () =>
    sourcedComponent({
      name: 'statistics',
      title: 'On-chain statistics',
      dataAt: cache.newestAt(),
      sources: upstreams.filter(({ isUsed }) => isUsed).map(({ name }) => name),
      latest: outcomes.latest,
      usefulFor: USEFUL_FOR,
      clock,
    });

  return {
    statistics,
    sources: described,

    routes: async (app, { send }) => {
      app.register(stats, { prefix: '/prices/latest', statistics, sources: described, send });
    },

    warnings: statistics.warnings,
    components: () => [component()],

    readings: {
      upstreams: () =>
        upstreams.map(({ name, breaker, budget }) => ({
          upstream: name,
          breaker: breaker.state(clock.elapsed()),
          budget: budget.reading(),
        })),
      staleness: statistics.staleness,
    },

    /** If the cache has changed, reads how many calls all processes have made. */
    async poll(): Promise<void> {
      const generation = cache.generation();
      if (generation === polled) return;
      await Promise.all(upstreams.map(({ budget }) => budget.sync()));
      polled = generation;
    },

    async close(): Promise<void> {
      for (const source of sources) await source.close();
    },
  } satisfies Capability & Record<string, unknown>;
}
