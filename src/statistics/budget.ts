import { DAY, HOUR } from '#core/clock';
import { type Budget, leftOf, monthOf } from '#upstream/budget';
import type { StatisticsKind } from './statistics-sources.ts';

/** How often the statistics of a token in demand are fetched, in ms: no figure changes faster. */
const EVERY = HOUR;

/** The cost of a sample at a source, in calls, and the number of tokens that the source may serve. */
type SampleCost = { calls: number; tokens: number };
const SAMPLE_COSTS: Record<StatisticsKind, SampleCost> = {
  // Two of the four chains are not listed today; they are tried once a day.
  cryptocompare: { calls: 1, tokens: 4 },
  'bitcoin-stats': { calls: 1, tokens: 1 },
  // The height, the mean block time, the hash rate with the difficulty.
  'bitcoin-mempool': { calls: 3, tokens: 1 },
  // The counters, and the newest blocks.
  'ethereum-stats': { calls: 2, tokens: 1 },
  // getEpochInfo, getSupply, getRecentPerformanceSamples.
  'solana-rpc': { calls: 3, tokens: 1 },
  // The node's height, and a block at either end of a day.
  'arweave-node': { calls: 3, tokens: 1 },
};

/** Calls of the hourly schedule in a month of 31 days. */
const perMonth = ({ calls, tokens }: SampleCost) => ((31 * DAY) / EVERY) * calls * tokens;

/**
 * Twice the schedule: the other half covers retries, probes and restarts. Six samples per token and minute:
 * blockchain.info, the strictest public host, allows one call in ten seconds.
 */
const budgetOf = (cost: SampleCost): Budget => ({
  perMinute: 6 * cost.calls * cost.tokens,
  perMonth: 2 * perMonth(cost),
});

/** Budgets by kind: each URL of a kind has its own. */
export const STATISTICS_BUDGETS = Object.fromEntries(
  Object.entries(SAMPLE_COSTS).map(([kind, cost]) => [kind, budgetOf(cost)]),
) as Record<StatisticsKind, Budget>;

/** `every`: the time between samples of a token; `apart`: the time between calls that the budget allows. In ms. */
type StatisticsSchedule = { every: number; apart: number };

/** The hourly schedule, throttled in proportion so that the rest of the budget lasts to the end of the month. */
export function throttledStatistics(
  kind: StatisticsKind,
  budget: Budget,
  spent: number,
  now: number,
): StatisticsSchedule {
  const { calls, tokens } = SAMPLE_COSTS[kind];
  const timeLeft = monthOf(now).end - now;
  const left = leftOf(budget, spent);
  if (left <= 0) return { every: Number.POSITIVE_INFINITY, apart: Number.POSITIVE_INFINITY };
  const planned = (timeLeft / EVERY) * calls * tokens;
  return { every: EVERY * Math.max(1, planned / left), apart: timeLeft / left };
}
