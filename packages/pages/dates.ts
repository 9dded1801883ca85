import { make } from './dom.ts';
import { count, onDate } from './format.ts';

/** The length of a day in ms. */
export const DAY = 86_400_000;

/** The UTC date of an instant (Unix ms), as YYYY-MM-DD. */
export const isoDate = (ms: number) => new Date(ms).toISOString().slice(0, 10);

const DAYS = 31;
type Days = readonly { date: string; calls: number }[];

/** The calls on each of the last 31 UTC dates, oldest first. A date without calls has 0. */
export function lastDays(daily: Days, now: number): { date: string; calls: number }[] {
  const calls = new Map(daily.map((day) => [day.date, day.calls]));
  return Array.from({ length: DAYS }, (_, i) => {
    const date = isoDate(now - (DAYS - 1 - i) * DAY);
    return { date, calls: calls.get(date) ?? 0 };
  });
}

/** A bar for each date. */
export function dayBars(days: Days): HTMLElement[] {
  const most = Math.max(1, ...days.map(({ calls }) => calls));
  return days.map(({ date, calls }) => {
    const kind = calls > 0 ? 'day' : 'day none';
    const bar = make('span', { class: kind, title: `${onDate(new Date(date))}: ${count(calls)}` });
    bar.style.height = `${Math.max(3, (calls / most) * 100)}%`;
    return bar;
  });
}
