import { addTotals, addUnreported, type Unreported, type UsageBy } from '#ledger/usage/call-details';
import type { Counts } from '#ledger/usage/counts-store';

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
  { details, leases }: Pick<Counts, 'details' | 'leases'>,
  own: readonly (Unreported & { date: string })[],
  daily: ReadonlyMap<string, number>,
): Breakdown {
  const result: Breakdown = new Map();

  function add(name: number | null, date: string, calls: number): void {
    const days = result.get(name) ?? new Map<string, number>();
    result.set(name, days);
    days.set(date, (days.get(date) ?? 0) + calls);
  }
  const adding = (date: string) => (keyId: number, path: number, calls: number) =>
    add(by === 'key' ? keyId : path, date, calls);

  for (const { name, date, calls } of details) add(name, date, calls);
  for (const lease of leases) addTotals(lease, 1, adding(lease.date));
  for (const lease of own) addUnreported(lease, adding(lease.date));

  for (const [date, calls] of daily) {
    let rest = calls;
    for (const days of result.values()) {
      const known = days.get(date) ?? 0;
      // Only a release without details can leave a key or path with fewer calls than none.
      if (known <= 0) days.delete(date);
      else rest -= known;
    }
    if (rest > 0) add(null, date, rest);
    if (rest < 0) lower(result, date, -rest);
  }
  for (const [name, days] of result) {
    for (const date of days.keys()) if (!daily.has(date)) days.delete(date);
    if (days.size === 0) result.delete(name);
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

/** The keys or paths with the most calls first. */
export const byCalls = <Name extends object>(parts: Breakdown, nameOf: (name: number | null) => Name) =>
  [...parts]
    // Parts with equal calls have a stable order.
    .sort(([one], [other]) => (one ?? 0) - (other ?? 0))
    .map(([name, days]) => {
      const daily = newestOf(days);
      return { ...nameOf(name), calls: daily.reduce((sum, { calls }) => sum + calls, 0), daily };
    })
    .sort((a, b) => b.calls - a.calls);

/** Takes calls from the keys or paths with the most calls. */
function lower(result: Breakdown, date: string, calls: number): void {
  const most = [...result.values()].sort((a, b) => (b.get(date) ?? 0) - (a.get(date) ?? 0));
  let left = calls;
  for (const days of most) {
    const known = days.get(date) ?? 0;
    const taken = Math.min(known, left);
    if (taken === known) days.delete(date);
    else days.set(date, known - taken);
    left -= taken;
  }
}
