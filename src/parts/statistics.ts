import { createBreaker } from '../domain/breaker.ts';
import {
  STATISTICS_SOURCES,
  type StatisticsSource,
  type StatisticsSourceName,
} from '../domain/statistics.ts';
import { STATISTICS_BUDGETS, statisticsPace } from '../domain/statistics-budget.ts';
import { openBudget } from '../services/budget.ts';
import { createRefreshing } from '../services/refreshing.ts';
import { createSampling } from '../services/sampling.ts';
import { createStatistics } from '../services/statistics.ts';
import { openStatisticsHoldings } from '../services/statistics-holdings.ts';
import { openArweaveNode } from '../sources/arweave.ts';
import { openBitcoinStats } from '../sources/bitcoin.ts';
import { openCryptoCompare } from '../sources/cryptocompare.ts';
import { openEthereumStats } from '../sources/ethereum.ts';
import { openSolanaRpc } from '../sources/solana.ts';
import { createStatisticsStore } from '../stores/statistics.ts';
import type { Ground } from './ground.ts';

/** Opens what the on-chain statistics are made of: a budget for each source, the sources, what is stored, the verbs. */
export async function openStatistics({ settings, prisma, refreshes, observe, clock, log }: Ground) {
  const { statistics: from, upstreamTimeoutMs: timeoutMs } = settings;

  const budgetFor = (name: StatisticsSourceName) => {
    const budget = STATISTICS_BUDGETS[name];
    const stretch = (spent: number, now: number) => statisticsPace(name, budget, spent, now);
    return openBudget({ store: refreshes, upstream: name, budget, stretch, clock });
  };
  const entries = STATISTICS_SOURCES.map(async (name) => {
    return [name, { budget: await budgetFor(name), breaker: createBreaker() }] as const;
  });
  const standing = Object.fromEntries(await Promise.all(entries)) as Record<
    StatisticsSourceName,
    Awaited<(typeof entries)[number]>[1]
  >;
  const optionsFor = (name: StatisticsSourceName, url: string) => ({
    url,
    timeoutMs,
    clock,
    reserve: standing[name].budget.reserve,
    interval: () => standing[name].budget.timetable().apart,
    observe: observe(name),
    breaker: standing[name].breaker,
  });

  const { apiKey } = from.cryptocompare;
  const withKey = openCryptoCompare({ ...optionsFor('cryptocompare', from.cryptocompare.url), apiKey });
  const keyless: StatisticsSource[] = [
    openBitcoinStats(optionsFor('bitcoin-stats', from.bitcoinUrl)),
    openEthereumStats(optionsFor('ethereum-stats', from.ethereumUrl)),
    openSolanaRpc(optionsFor('solana-rpc', from.solanaUrl)),
    openArweaveNode(optionsFor('arweave-node', from.arweaveUrl)),
  ];
  const sources: StatisticsSource[] = [withKey, ...keyless];

  const holdings = await openStatisticsHoldings({ store: createStatisticsStore(prisma), refreshes });
  const sampling = createSampling({
    sources: apiKey === undefined ? keyless : sources,
    every: (name) => standing[name].budget.timetable().every,
    holdings,
    timeoutMs,
    clock,
  });
  const refreshing = createRefreshing({ store: refreshes, watch: holdings, timeoutMs, clock, log });

  return {
    statistics: createStatistics({ holdings, sampling, refreshing, clock, log }),
    /** All there are, with a key or without: what each tells is part of the interface description. */
    sources,

    /** How each upstream stands. */
    readings: () =>
      STATISTICS_SOURCES.map((upstream) => ({
        upstream,
        breaker: standing[upstream].breaker.state(clock.elapsed()),
        budget: standing[upstream].budget.reading(),
      })),

    /** Takes over what other processes have written, and then also what calls it has cost them. */
    async watch(): Promise<void> {
      const known = holdings.generation();
      await holdings.sync();
      if (holdings.generation() === known) return;
      await Promise.all(Object.values(standing).map(({ budget }) => budget.sync()));
    },

    async close(): Promise<void> {
      for (const source of sources) await source.close();
    },
  };
}
