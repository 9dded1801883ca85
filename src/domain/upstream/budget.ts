import { DAY, HOUR } from './clock.ts';
import type { Timetable } from './timetable.ts';
import { TOKENS } from './token.ts';

/** How many calls an upstream may be asked in a minute and in a calendar month (UTC). */
export type Budget = { perMinute: number; perMonth: number };

/** By plan of the aggregator; the keyless rate is not published and was seen to be lower than the demo plan's. */
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

/** What a month's last calls are kept for: first fills, and retries. */
const RESERVE = 0.02;

/** The month's calls that a timetable may still plan with. */
export const leftOf = ({ perMonth }: Budget, spent: number): number => perMonth * (1 - RESERVE) - spent;

/** A token's chart tells its last day: with more than this between two of them, in ms, there is a hole. */
const LONGEST_CHART = DAY - HOUR;

/**
 * The timetable stretched in proportion so that what is left of the month's budget lasts to its end. The daily
 * series are not stretched: they are one call a day for each token, and a day that is not fetched is a hole. For the
 * same reason the charts are not stretched beyond a day; the latest prices take all that is then to be saved.
 */
export function stretched(timetable: Timetable, budget: Budget, spent: number, now: number): Timetable {
  if (budget.perMonth === Number.POSITIVE_INFINITY) return timetable;
  const timeLeft = monthOf(now).end - now;
  const daily = Math.ceil(timeLeft / DAY) * TOKENS.length;
  const left = leftOf(budget, spent) - daily;
  const planned = timeLeft / timetable.latest + (TOKENS.length * timeLeft) / timetable.chart;
  const factor = left <= 0 ? Number.POSITIVE_INFINITY : Math.max(1, planned / left);
  const longest = Math.max(timetable.chart, LONGEST_CHART);
  if (timetable.chart * factor <= longest) {
    return { latest: timetable.latest * factor, chart: timetable.chart * factor };
  }
  const leftForLatest = left - (TOKENS.length * timeLeft) / longest;
  return { latest: leftForLatest <= 0 ? Number.POSITIVE_INFINITY : timeLeft / leftForLatest, chart: longest };
}
