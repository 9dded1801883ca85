import type { Usage } from '../../client/index.ts';

const DAY = 86_400_000;
const DAYS = 31;

/** The calls on each of the last 31 UTC dates, oldest first. A date without calls has 0. */
export function dailyCalls(daily: Usage['daily'], now: number): Usage['daily'] {
  const calls = new Map(daily.map((day) => [day.date, day.calls]));
  return Array.from({ length: DAYS }, (_, i) => {
    const date = new Date(now - (DAYS - 1 - i) * DAY).toISOString().slice(0, 10);
    return { date, calls: calls.get(date) ?? 0 };
  });
}
