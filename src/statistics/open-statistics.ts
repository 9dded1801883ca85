import { DAY } from '#core/clock';
import { isOneOf } from '#core/names';
import type { Capability, CapabilityDeps } from '#server/capability';
import { openArweaveNode } from '#statistics/sources/arweave';
import { openBitcoinStats, openMempool } from '#statistics/sources/bitcoin';
import { openCryptoCompare } from '#statistics/sources/cryptocompare';
import { openEthereumStats } from '#statistics/sources/ethereum';
import { openSolanaRpc } from '#statistics/sources/solana';
import type { StatisticsOptions } from '#statistics/sources/source';
import { budgetJob } from '#upstream/budget';
import { openBudgeted } from '#upstream/budgeted-upstream';
import { sourcedComponent } from '#upstream/component';
import { createFailover } from './failover.ts';
import { createStatistics } from './statistics.ts';
import { openStatisticsCache } from './statistics-cache.ts';
import { stats } from './statistics-routes.ts';
import type { StatisticsSettings } from './statistics-settings.ts';
import {
  type ConfiguredSource,
  STATISTICS_KINDS,
  type StatisticsKind,
  type StatisticsSource,
  statisticsBudget,
  throttledStatistics,
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

/** The age, in ms, above which statistics count as missing while every source fails. */
const USEFUL_FOR = DAY;

type Deps = CapabilityDeps<StatisticsSettings>;

async function openSource(deps: Deps, { kind, ...configured }: ConfiguredSource) {
  const { budget, dropped, options, reading } = await openBudgeted(deps, configured.name, statisticsBudget(kind));
  const schedule = () => throttledStatistics(kind, budget.current());
  return {
    ...OPEN[kind]({ ...options, ...configured, callSpacing: () => schedule().apart }),
    // CryptoCompare rejects requests without a key.
    isUsed: kind !== 'cryptocompare' || configured.apiKey !== undefined,
    interval: () => schedule().every,
    dropped,
    reading,
    sync: budget.sync,
  };
}

export async function openStatistics(deps: Deps) {
  const { settings, database, deadline, versions, responses, clock, log, outcomes } = deps;
  const { upstreamTimeoutMs: timeoutMs } = settings;
  const sources = await Promise.all(settings.statistics.map((configured) => openSource(deps, configured)));
  const used = sources.filter(({ isUsed }) => isUsed);
  const store = deadline.over(createStatisticsStore(database.prisma));
  const cache = await openStatisticsCache({ store, versions, sources, clock, log });
  const failover = createFailover({ sources: used, cache, timeoutMs, clock });
  const singleFlight = deps.openSingleFlight(cache);
  const cachedResponses = responses('statistics', cache);
  const statistics = createStatistics({ cache, cachedResponses, failover, singleFlight, clock, log });
  /** The API description contains the figures of one source of each kind, with or without a key. */
  const described = sources.filter(({ name }) => isOneOf(STATISTICS_KINDS, name));

  const component = () =>
    sourcedComponent({
      name: 'statistics',
      title: 'On-chain statistics',
      dataAt: cache.newestAt(),
      sources: used.map(({ name }) => name),
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
      upstreams: () => sources.map(({ reading }) => reading()),
      staleness: statistics.staleness,
    },
    jobs: [budgetJob('statistics budgets', cache, () => Promise.all(sources.map(({ sync }) => sync())))],
    async close(): Promise<void> {
      for (const source of sources) await source.close();
    },
  } satisfies Capability & Record<string, unknown>;
}
