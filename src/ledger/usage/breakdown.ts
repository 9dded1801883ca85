import { addTotals, type UsageBy } from '#ledger/usage/call-details';
import type { Counts } from '#ledger/usage/counts-store';
import type { DatedCalls } from '#ledger/usage/unreported-calls';

type Days = Map<string, number>;
/** The calls by date of each key or path. `null`: the calls of releases that do not record keys and paths. */
export type Breakdown = Map<number | null, Days>;

/**
 * Breaks down the calls by date. For each date, the result adds up to exactly the calls in `daily`. Calls without
 * details are under `null`.
 * @param daily the calls by date, without dates that have none
 */
export function breakDown(
  by: UsageBy,
  { details, leases }: Pick<Counts, 'details' | 'leases'>,
  unreported: readonly DatedCalls[],
  daily: ReadonlyMap<string, number>,
): Breakdown {
  const result: Breakdown = new Map();

  function add(name: number | null, date: string, calls: number): void {
    if (!daily.has(date)) return;
    const days: Days = result.get(name) ?? new Map();
    result.set(name, days.set(date, (days.get(date) ?? 0) + calls));
  }

  for (const { name, date, calls } of details) add(name, date, calls);
  for (const lease of leases)
    addTotals(lease, 1, (keyId, path, calls) => add(by === 'key' ? keyId : path, lease.date, calls));
  for (const { keyId, path, date, calls } of unreported) add(by === 'key' ? keyId : path, date, calls);

  for (const [date, calls] of daily) {
    let rest = calls;
    for (const days of result.values()) {
      const counted = Math.min(Math.max(0, days.get(date) ?? 0), rest);
      days.set(date, counted);
      rest -= counted;
    }
    add(null, date, rest);
  }
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

/** The keys or paths with the most calls first. Those with equal calls have a stable order. */
export const byCalls = <Name extends object>(parts: Breakdown, nameOf: (name: number | null) => Name) =>
  [...parts]
    .sort(([one], [other]) => (one ?? 0) - (other ?? 0))
    .map(([name, days]) => {
      const daily = newestOf(days);
      return { ...nameOf(name), calls: daily.reduce((sum, { calls }) => sum + calls, 0), daily };
    })
    .filter(({ calls }) => calls > 0)
    .sort((a, b) => b.calls - a.calls);
