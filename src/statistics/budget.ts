import { DAY, HOUR } from '#core/clock';
import { type Budget, leftOf, monthOf } from '#upstream/budget';
import type { StatisticsKind } from './statistics-sources.ts';

/** How often the statistics of a token are fetched while somebody asks for them, in ms: no figure moves faster. */
const EVERY = HOUR;

/** What one sample costs at a source, in calls, and of how many tokens it may be asked for. */
type SampleCost = { calls: number; tokens: number };
const SAMPLE_COSTS: Record<StatisticsKind, SampleCost> = {
  // Two of the four chains are not listed today, and asked for once a day.
  cryptocompare: { calls: 1, tokens: 4 },
  'bitcoin-stats': { calls: 1, tokens: 1 },
  // The height, the mean time of a block, the hash rate with the difficulty.
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
 * Twice the schedule of a month, which is 744 calls to 2,976: the other half is for retries, probes of a failing source
 * and restarts. Six samples of each token in a minute: one call in ten seconds is what the strictest of the
 * public hosts, blockchain.info, asks for where it names a limit.
 */
const budgetOf = (cost: SampleCost): Budget => ({
  perMinute: 6 * cost.calls * cost.tokens,
  perMonth: 2 * perMonth(cost),
});

/** The budget of each source, by its kind: two URLs of a kind have one each. */
export const STATISTICS_BUDGETS = Object.fromEntries(
  Object.entries(SAMPLE_COSTS).map(([kind, cost]) => [kind, budgetOf(cost)]),
) as Record<StatisticsKind, Budget>;

/** `every`: how far apart samples of a token are taken; `apart`: how far apart the budget lets calls be. In ms. */
type StatisticsSchedule = { every: number; apart: number };

/** The schedule by which the rest of a source's month lasts to its end: the hour, throttled in proportion. */
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
