import { DAY, HOUR } from '#domain/clock';
import type { RefreshSchedule } from '#domain/market/refresh-schedule';
import { TOKENS } from '#domain/market/token';

/** The calls that an upstream may be asked in a minute and in a calendar month (UTC). */
export type Budget = { perMinute: number; perMonth: number };

/** By plan of the aggregator. The keyless rate is not published; it was measured to be lower than the demo plan's. */
export const BUDGETS = {
  public: { perMinute: 10, perMonth: Number.POSITIVE_INFINITY },
  demo: { perMinute: 30, perMonth: 10_000 },
  pro: { perMinute: 500, perMonth: 500_000 },
} as const satisfies Record<string, Budget>;

/** The calendar month (UTC) in which an instant lies: its start and its end, in Unix ms. */
export function monthOf(now: number): { start: number; end: number } {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: Date.UTC(year, month, 1), end: Date.UTC(year, month + 1, 1) };
}

/** The share of a month's calls that no schedule plans with: it is for backfill and retries. */
const RESERVE = 0.02;

/** The month's calls that a schedule may still plan with. */
export const leftOf = ({ perMonth }: Budget, spent: number): number => perMonth * (1 - RESERVE) - spent;

/** A chart has the last day: with more than this between two charts, in ms, there is a gap. */
const LONGEST_CHART = DAY - HOUR;

/**
 * The schedule, throttled in proportion so that the rest of the month's budget lasts to its end. The daily series are
 * not throttled: they are one call a day for each token, and a day that is not fetched is a gap. For the same reason
 * charts are throttled to a day at most; the latest prices then bear the rest.
 */
export function throttled(
  schedule: RefreshSchedule,
  budget: Budget,
  spent: number,
  now: number,
): RefreshSchedule {
  if (budget.perMonth === Number.POSITIVE_INFINITY) return schedule;
  const timeLeft = monthOf(now).end - now;
  const daily = Math.ceil(timeLeft / DAY) * TOKENS.length;
  const left = leftOf(budget, spent) - daily;
  const planned = timeLeft / schedule.latest + (TOKENS.length * timeLeft) / schedule.chart;
  const factor = left <= 0 ? Number.POSITIVE_INFINITY : Math.max(1, planned / left);
  const longest = Math.max(schedule.chart, LONGEST_CHART);
  if (schedule.chart * factor <= longest) {
    return { latest: schedule.latest * factor, chart: schedule.chart * factor };
  }
  const leftForLatest = left - (TOKENS.length * timeLeft) / longest;
  return { latest: leftForLatest <= 0 ? Number.POSITIVE_INFINITY : timeLeft / leftForLatest, chart: longest };
}
