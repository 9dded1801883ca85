import { DAY, HOUR } from '#core/clock';
import { type Budget, leftOf, monthOf, type SpentBudget } from '#upstream/budget';
import type { StatisticsKind } from './statistics-sources.ts';

/** How often a requested token's statistics are fetched, in ms. No figure changes more often. */
const EVERY = HOUR;

/** The number of calls that a sample takes at a source, and the number of tokens that the source may serve. */
type SampleCost = { calls: number; tokens: number };
const SAMPLE_COSTS: Record<StatisticsKind, SampleCost> = {
  // CryptoCompare currently lists two of the four chains. The service requests the others once a day.
  cryptocompare: { calls: 1, tokens: 4 },
  'bitcoin-stats': { calls: 1, tokens: 1 },
  // The height, the mean block time, and the hash rate with the difficulty.
  'bitcoin-mempool': { calls: 3, tokens: 1 },
  // The counters, and the newest blocks.
  'ethereum-stats': { calls: 2, tokens: 1 },
  // getEpochInfo, getSupply and getRecentPerformanceSamples.
  'solana-rpc': { calls: 3, tokens: 1 },
  // The node's height, and the blocks at both ends of a day.
  'arweave-node': { calls: 3, tokens: 1 },
};

const perMonth = ({ calls, tokens }: SampleCost) => ((31 * DAY) / EVERY) * calls * tokens;

/**
 * Allows twice the scheduled calls per month, which leaves half for retries, probes and restarts. Allows six samples
 * per token and minute, because blockchain.info, the strictest public host, allows one call every ten seconds.
 */
const budgetOf = (cost: SampleCost): Budget => ({
  perMinute: 6 * cost.calls * cost.tokens,
  perMonth: 2 * perMonth(cost),
});

/** Budgets by kind. Each URL of a kind has its own budget. */
export const STATISTICS_BUDGETS = Object.fromEntries(
  Object.entries(SAMPLE_COSTS).map(([kind, cost]) => [kind, budgetOf(cost)]),
) as Record<StatisticsKind, Budget>;

/** `every` is the time (ms) between a token's samples. `apart` is the time (ms) between calls within the budget. */
type StatisticsSchedule = { every: number; apart: number };

/** The hourly schedule, throttled in proportion so that the budget lasts until the end of the month. */
export function throttledStatistics(kind: StatisticsKind, { limits, spent, now }: SpentBudget): StatisticsSchedule {
  const { calls, tokens } = SAMPLE_COSTS[kind];
  const timeLeft = monthOf(now).end - now;
  const left = leftOf(limits, spent);
  if (left <= 0) return { every: Number.POSITIVE_INFINITY, apart: Number.POSITIVE_INFINITY };
  const planned = (timeLeft / EVERY) * calls * tokens;
  return { every: EVERY * Math.max(1, planned / left), apart: timeLeft / left };
}
