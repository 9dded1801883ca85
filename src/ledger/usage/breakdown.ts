import { isoDate } from '#core/clock';
import { addCalls, type LeaseCalls, type UsageBy } from '#ledger/usage/call-details';
import type { ClosedCalls } from '#ledger/usage/counts-store';

type Days = Map<string, number>;
/** The calls by date of each key or path. `null`: the calls of releases that do not record keys and paths. */
export type Breakdown = Map<number | null, Days>;

/**
 * Breaks the calls by date down. For each date, the sum over the result is exactly the number of its calls: the rest
 * counts for `null`.
 * @param daily the calls by date
 */
export function breakDown(
  by: UsageBy,
  { details }: Pick<ClosedCalls, 'details'>,
  leases: readonly LeaseCalls[],
  daily: ReadonlyMap<string, number>,
): Breakdown {
  const result: Breakdown = new Map();
  const rest = new Map(daily);

  function add(name: number | null, date: string, calls: number): void {
    if (calls === 0 || !daily.has(date)) return;
    const days = result.get(name) ?? new Map<string, number>();
    result.set(name, days);
    days.set(date, (days.get(date) ?? 0) + calls);
    rest.set(date, (rest.get(date) ?? 0) - calls);
  }
  for (const { name, date, calls } of details) add(name, date, calls);
  for (const lease of leases)
    addCalls(lease, (keyId, path, calls) => add(by === 'key' ? keyId : path, isoDate(lease.date), calls));
  for (const [date, calls] of rest) add(null, date, calls);
  return result;
}

type Day = { date: string; calls: number };

/** The dates with calls, newest first. */
export const newestOf = (days: ReadonlyMap<string, number>, most = Number.POSITIVE_INFINITY): Day[] =>
  [...days]
    .map(([date, calls]) => ({ date, calls }))
    .filter(({ calls }) => calls > 0)
    .sort((a, b) => (a.date < b.date ? 1 : -1))
    .slice(0, most);

/** The keys or paths with the most calls first. */
export const byCalls = <Name extends object>(parts: Breakdown, nameOf: (name: number | null) => Name) =>
  [...parts]
    // Parts with equal calls have a stable order.
    .sort(([one], [other]) => (one ?? 0) - (other ?? 0))
    .map(([name, days]) => {
      const daily = newestOf(days);
      return { ...nameOf(name), calls: daily.reduce((sum, { calls }) => sum + calls, 0), daily };
    })
    .filter(({ calls }) => calls > 0)
    .sort((a, b) => b.calls - a.calls);
