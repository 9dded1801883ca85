import type { Usage } from '../../client/index.ts';
import { DAY, isoDate } from '../../pages/dates.ts';

const DAYS = 31;

/** The calls on each of the last 31 UTC dates, oldest first. A date without calls has 0. */
export function dailyCalls(daily: Usage['daily'], now: number): Usage['daily'] {
  const calls = new Map(daily.map((day) => [day.date, day.calls]));
  return Array.from({ length: DAYS }, (_, i) => {
    const date = isoDate(now - (DAYS - 1 - i) * DAY);
    return { date, calls: calls.get(date) ?? 0 };
  });
}
