import { type Budget, leftOf, monthOf } from './budget.ts';
import { DAY, HOUR } from './clock.ts';
import type { StatisticsSourceName } from './statistics.ts';

/** How often the statistics of a token are fetched while somebody asks for them, in ms: no figure moves faster. */
const EVERY = HOUR;

/** What one sample costs at a source, in calls, and of how many tokens it may be asked for. */
type Demand = { calls: number; tokens: number };
const DEMANDS: Record<StatisticsSourceName, Demand> = {
  // Two of the four chains are not listed today, and asked for once a day.
  cryptocompare: { calls: 1, tokens: 4 },
  'bitcoin-stats': { calls: 1, tokens: 1 },
  // The counters, and the newest blocks.
  'ethereum-stats': { calls: 2, tokens: 1 },
  // getEpochInfo, getSupply, getRecentPerformanceSamples.
  'solana-rpc': { calls: 3, tokens: 1 },
  // The node's height, and a block at either end of a day.
  'arweave-node': { calls: 3, tokens: 1 },
};

/** Calls of the hourly timetable in a month of 31 days. */
const perMonth = ({ calls, tokens }: Demand) => ((31 * DAY) / EVERY) * calls * tokens;

/**
 * Twice the timetable for a month, which is 744 calls to 2,976: as much again is for retries, for tries while a source
 * fails, and for restarts. Six samples of each token in a minute: one call in ten seconds is what the strictest of the
 * public hosts, blockchain.info, asks for where it names a limit.
 */
const budgetOf = (demand: Demand): Budget => ({
  perMinute: 6 * demand.calls * demand.tokens,
  perMonth: 2 * perMonth(demand),
});

export const STATISTICS_BUDGETS = Object.fromEntries(
  Object.entries(DEMANDS).map(([name, demand]) => [name, budgetOf(demand)]),
) as Record<StatisticsSourceName, Budget>;

/** How far apart samples of a token are taken, and how far apart calls are that the budget allows; in ms. */
export type StatisticsPace = { every: number; apart: number };

/** The pace at which what is left of a source's month lasts to its end: the hour, stretched in proportion. */
export function statisticsPace(
  name: StatisticsSourceName,
  budget: Budget,
  spent: number,
  now: number,
): StatisticsPace {
  const { calls, tokens } = DEMANDS[name];
  const timeLeft = monthOf(now).end - now;
  const left = leftOf(budget, spent);
  if (left <= 0) return { every: Number.POSITIVE_INFINITY, apart: Number.POSITIVE_INFINITY };
  const planned = (timeLeft / EVERY) * calls * tokens;
  return { every: EVERY * Math.max(1, planned / left), apart: timeLeft / left };
}
