import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { PER_PAGE } from '#prices/sources/coingecko-markets';
import type { RefreshSchedule } from '#prices/sources/coingecko-plans';
import { leftOf, monthOf, type SpentBudget, type UpstreamBudget } from '#upstream/budget';
import { ageAt } from '#upstream/freshness';
import type { RefreshDeps } from './refresh-deps.ts';

/** The longest pause between two charts of the last day, in ms. A longer pause leaves a gap. */
const LONGEST_CHART = DAY - HOUR;

/** The shortest time between two early fetches of the latest prices, in ms. */
const LEAST_EARLY = 10 * SECOND;

/** The calls per fetch of the latest prices, and the tokens whose charts and daily series are in demand. */
type ScheduledLoad = { latest: number; charts: number; days: number };

/** `early` is the age, in ms, from which the latest prices are fetched ahead of schedule for a new token. */
type ThrottledSchedule = RefreshSchedule & { early: number };

/**
 * Throttles the schedule, so that the budget lasts until the end of the month. The daily series keeps one call a day
 * per token, and charts keep one call every 23 hours, because a longer pause leaves a gap. Spare calls are used for
 * early fetches.
 */
export function throttled(
  schedule: RefreshSchedule,
  { limits, spent, now }: SpentBudget,
  load: ScheduledLoad,
): ThrottledSchedule {
  if (limits.perMonth === Number.POSITIVE_INFINITY) return { ...schedule, early: LEAST_EARLY };
  const timeLeft = monthOf(now).end - now;
  const daily = Math.ceil(timeLeft / DAY) * load.days;
  const left = leftOf(limits, spent) - daily;
  const planned = (load.latest * timeLeft) / schedule.latest + (load.charts * timeLeft) / schedule.chart;
  if (planned < left) return { ...schedule, early: Math.max(LEAST_EARLY, timeLeft / (left - planned)) };
  const early = Number.POSITIVE_INFINITY;
  const factor = left <= 0 ? Number.POSITIVE_INFINITY : planned / left;
  const longest = Math.max(schedule.chart, LONGEST_CHART);
  if (schedule.chart * factor <= longest) {
    return { latest: schedule.latest * factor, chart: schedule.chart * factor, early };
  }
  const leftForLatest = left - (load.charts * timeLeft) / longest;
  const latest = leftForLatest <= 0 ? Number.POSITIVE_INFINITY : (load.latest * timeLeft) / leftForLatest;
  return { latest, chart: longest, early };
}

/** The schedule if CoinGecko is not used. An exchange's five-minute candles can be late by one candle. */
export const EXCHANGE_SCHEDULE: Pick<Schedule, 'current' | 'latestEvery'> = {
  current: () => ({ latest: MINUTE, chart: 10 * MINUTE, early: LEAST_EARLY }),
  latestEvery: () => MINUTE,
};

/** A token's chart or daily series is in demand if it was fetched within this time, in ms. */
const IN_USE = DAY + HOUR;
type Deps = Pick<RefreshDeps, 'archive' | 'demand' | 'clock'>;
type Configured = { schedule: RefreshSchedule };

export function createSchedule(deps: Deps, budget: UpstreamBudget, { schedule: configured }: Configured) {
  const { archive, demand, clock } = deps;
  let counted: { generation: number; load: ScheduledLoad } | undefined;

  function count(): ScheduledLoad {
    const now = clock.now();
    const tokens = archive.loaded();
    const inUse = (kind: 'chart' | 'daily') =>
      tokens.filter((token) => ageAt(archive.fetchedAt(`${kind}:${token}`), now) < IN_USE).length;
    const latest = Math.max(1, Math.ceil(demand.size() / PER_PAGE));
    return { latest, charts: inUse('chart'), days: inUse('daily') };
  }

  /** The load is counted again after each change to the data in memory. */
  function current(): ThrottledSchedule {
    const generation = archive.generation();
    if (counted?.generation !== generation) counted = { generation, load: count() };
    return throttled(configured, budget.current(), counted.load);
  }

  return {
    current,
    hasBudget: (): boolean => Number.isFinite(current().latest),

    /** The interval of the latest prices, in ms. If the budget is spent, this is the configured interval. */
    latestEvery(): number {
      const { latest } = current();
      return Number.isFinite(latest) ? latest : configured.latest;
    },
  };
}

export type Schedule = ReturnType<typeof createSchedule>;
