import { DAY, HOUR, MINUTE, SECOND } from '#domain/clock';
import { type Budget, leftOf, monthOf } from '#domain/upstream/budget';

/**
 * How often each thing is fetched while it is requested, in milliseconds: `latest`, the latest price of all tokens;
 * `chart`, the last day of one token. The daily series is fetched once a day, when its day is ready.
 */
export type RefreshSchedule = { latest: number; chart: number };

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

/**
 * The schedule, throttled in proportion so that the rest of the month's budget lasts to its end. The daily series are
 * not throttled: they are one call a day for each token, and a day that is not fetched is a gap. For the same reason
 * charts are throttled to a day at most; the latest prices then bear the rest.
 *
 * @param tokens of how many tokens the series are fetched
 */
export function throttled(
  schedule: RefreshSchedule,
  budget: Budget,
  spent: number,
  now: number,
  tokens: number,
): RefreshSchedule {
  if (budget.perMonth === Number.POSITIVE_INFINITY) return schedule;
  const timeLeft = monthOf(now).end - now;
  const daily = Math.ceil(timeLeft / DAY) * tokens;
  const left = leftOf(budget, spent) - daily;
  const planned = timeLeft / schedule.latest + (tokens * timeLeft) / schedule.chart;
  const factor = left <= 0 ? Number.POSITIVE_INFINITY : Math.max(1, planned / left);
  const longest = Math.max(schedule.chart, LONGEST_CHART);
  if (schedule.chart * factor <= longest) {
    return { latest: schedule.latest * factor, chart: schedule.chart * factor };
  }
  const leftForLatest = left - (tokens * timeLeft) / longest;
  return { latest: leftForLatest <= 0 ? Number.POSITIVE_INFINITY : timeLeft / leftForLatest, chart: longest };
}
