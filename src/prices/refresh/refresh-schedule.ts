import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import type { RefreshSchedule } from '#prices/sources/coingecko-plans';
import { type Budget, leftOf, monthOf } from '#upstream/monthly-budget';

const UNITS = { s: SECOND, m: MINUTE, h: HOUR } as const;

/** Reads `latest=6m,chart=6h`; what is not named is left out. Throws `RangeError` with the form that is wanted. */
export function parseRefreshSchedule(text: string): Partial<RefreshSchedule> {
  const schedule: Partial<RefreshSchedule> = {};
  for (const entry of text.split(',')) {
    const match = /^\s*(latest|chart)=([1-9]\d{0,5})([smh])\s*$/.exec(entry);
    if (!match) throw new RangeError('must be like latest=6m,chart=6h (whole numbers of s, m or h)');
    const [, name, amount, unit] = match as unknown as [
      string,
      keyof RefreshSchedule,
      string,
      keyof typeof UNITS,
    ];
    schedule[name] = Number(amount) * UNITS[unit];
  }
  return schedule;
}

/** A chart has the last day: with more than this between two charts, in ms, there is a gap. */
const LONGEST_CHART = DAY - HOUR;

/** The least time between two fetches of the latest prices that are not due, in ms. */
const LEAST_EARLY = 10 * SECOND;

/** What is fetched by the schedule: calls for the latest prices each time, and tokens whose charts and days are asked for. */
export type ScheduledLoad = { latest: number; charts: number; days: number };

/**
 * The schedule as a month's budget allows it. `early`: how soon after the last one the latest prices may be fetched before
 * they are due, for a token that nobody has asked for lately; in ms.
 */
export type ThrottledSchedule = RefreshSchedule & { early: number };

/**
 * The schedule, throttled in proportion so that the rest of the month's budget lasts to its end. The daily series are
 * not throttled: they are one call a day for each token, and a day that is not fetched is a gap. For the same reason
 * charts are throttled to a day at most; the latest prices then bear the rest. Calls that the schedule leaves over go to
 * early fetches.
 */
export function throttled(
  schedule: RefreshSchedule,
  budget: Budget,
  spent: number,
  now: number,
  load: ScheduledLoad,
): ThrottledSchedule {
  if (budget.perMonth === Number.POSITIVE_INFINITY) return { ...schedule, early: LEAST_EARLY };
  const timeLeft = monthOf(now).end - now;
  const daily = Math.ceil(timeLeft / DAY) * load.days;
  const left = leftOf(budget, spent) - daily;
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
