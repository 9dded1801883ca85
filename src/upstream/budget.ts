import { type Clock, HOUR, MINUTE } from '#core/clock';
import { type Job, POLL_INTERVAL } from '#core/jobs';
import type { RefreshStore } from './claims-and-budgets-store.ts';

type Dependencies = { store: RefreshStore; upstream: string; budget: Budget; clock: Clock };

export async function openBudget(dependencies: Dependencies) {
  const { store, upstream, clock } = dependencies;
  let { budget } = dependencies;
  /** The calls that this service can make in the month that starts at `month`, including spent calls. */
  let share = { month: Number.NaN, calls: Number.POSITIVE_INFINITY };
  let month = monthOf(clock.now()).start;
  let { spent, firstCall } = await store.stored(upstream, month);

  /** The calls spent in the month that contains an instant, as far as this process knows. */
  const spentAt = (now: number) => (monthOf(now).start > month ? 0 : spent);

  function budgetAt(now: number): Budget {
    const most = monthOf(now).start === share.month ? share.calls : Number.POSITIVE_INFINITY;
    return { ...budget, perMonth: Math.min(budget.perMonth, most) };
  }

  return {
    /** Takes one call. Returns false if the month has no calls left, or the minute has at most `kept` calls left. */
    async reserve(kept = 0): Promise<boolean> {
      const now = clock.now();
      const windows = { minute: Math.floor(now / MINUTE) * MINUTE, month: monthOf(now).start };
      const { perMinute, perMonth } = budgetAt(now);
      const count = await store.reserve(upstream, windows, { perMinute: perMinute - kept, perMonth });
      if (count === undefined) return false;
      month = windows.month;
      spent = count;
      firstCall ??= windows.minute;
      return true;
    },

    async sync(): Promise<void> {
      month = monthOf(clock.now()).start;
      ({ spent, firstCall } = await store.stored(upstream, month));
    },

    reading(): BudgetReading {
      const now = clock.now();
      const count = spentAt(now);
      const limit = budgetAt(now).perMonth;
      const since = Math.max(monthOf(now).start, firstCall ?? now);
      return { spent: count, limit, rate: count / Math.max(HOUR, now - since) };
    },

    /** Lowers the budget to reported limits. `left` calls remain this month: other clients may use the same key. */
    lower(limits: Budget, left: number): void {
      const now = clock.now();
      budget = {
        perMinute: Math.min(budget.perMinute, limits.perMinute),
        perMonth: Math.min(budget.perMonth, limits.perMonth),
      };
      share = { month: monthOf(now).start, calls: spentAt(now) + left };
    },

    current(): SpentBudget {
      const now = clock.now();
      return { limits: budgetAt(now), spent: spentAt(now), now };
    },
  };
}

/** Whenever a cache has changed, reads how many calls all processes have made. */
export function budgetJob(name: string, cache: { generation(): number }, sync: () => Promise<unknown>): Job {
  let synced = cache.generation();
  async function run(): Promise<void> {
    const generation = cache.generation();
    if (generation === synced) return;
    await sync();
    synced = generation;
  }
  return { name, every: POLL_INTERVAL, run, isOfPeers: true };
}

export type UpstreamBudget = Awaited<ReturnType<typeof openBudget>>;
/** Maximum calls per minute and per calendar month (UTC). */
export type Budget = { perMinute: number; perMonth: number };

/** A budget, and the calls spent in the month of `now` (Unix ms). */
export type SpentBudget = { limits: Budget; spent: number; now: number };

/** `rate` is the mean of the month in calls per ms, from the first call of the service on and over at least an hour. */
export type BudgetReading = { spent: number; limit: number; rate: number };

/** The bounds of the calendar month (UTC) that contains an instant, in Unix ms. */
export function monthOf(now: number): { start: number; end: number } {
  const date = new Date(now);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { start: Date.UTC(year, month, 1), end: Date.UTC(year, month + 1, 1) };
}

/** The share of a month's calls that is reserved for backfill and retries. */
const RESERVE = 0.02;
export const leftOf = ({ perMonth }: Budget, spent: number): number => perMonth * (1 - RESERVE) - spent;
