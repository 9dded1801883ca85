/** The calls that an upstream may be asked in a minute and in a calendar month (UTC). */
export type Budget = { perMinute: number; perMonth: number };

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
