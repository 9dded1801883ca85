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
