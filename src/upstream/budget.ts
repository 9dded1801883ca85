import { type Clock, MINUTE } from '#core/clock';
import type { RefreshStore } from './claims-and-budgets-store.ts';

type Dependencies<RefreshSchedule> = {
  store: RefreshStore;
  upstream: string;
  budget: Budget;
  /** The schedule by which a month's budget lasts, when so many of its calls are spent. */
  throttle: (budget: Budget, spent: number, now: number) => RefreshSchedule;
  clock: Clock;
};

/** The calls an upstream has left, shared by all processes, and the refresh schedule that they allow. */
export async function openBudget<RefreshSchedule>(dependencies: Dependencies<RefreshSchedule>) {
  const { store, upstream, throttle, clock } = dependencies;
  let { budget } = dependencies;
  /** What the upstream leaves of a month (its start) to this service, what it has spent included. */
  let share = { month: Number.NaN, calls: Number.POSITIVE_INFINITY };
  let month = monthOf(clock.now()).start;
  let spent = await store.spent(upstream, month);

  /** The calls spent in the month that an instant lies in, as far as this process knows. */
  const spentAt = (now: number) => (monthOf(now).start > month ? 0 : spent);

  /** The budget of the month that an instant lies in. */
  function budgetAt(now: number): Budget {
    const most = monthOf(now).start === share.month ? share.calls : Number.POSITIVE_INFINITY;
    return { ...budget, perMonth: Math.min(budget.perMonth, most) };
  }

  return {
    /** Takes one call from the budget; false when this minute or this month has none left. */
    async reserve(): Promise<boolean> {
      const now = clock.now();
      const windows = { minute: Math.floor(now / MINUTE) * MINUTE, month: monthOf(now).start };
      const count = await store.reserve(upstream, windows, budgetAt(now));
      if (count === undefined) return false;
      month = windows.month;
      spent = count;
      return true;
    },

    /** Reads what all processes have spent. */
    async sync(): Promise<void> {
      month = monthOf(clock.now()).start;
      spent = await store.spent(upstream, month);
    },

    /** The calls spent in the running month, and their limit. */
    reading(): { spent: number; limit: number } {
      const now = clock.now();
      return { spent: spentAt(now), limit: budgetAt(now).perMonth };
    },

    /**
     * Lowers the budget to what the upstream says that it is, where that is less.
     *
     * @param left the calls of the running month that the upstream says are left: others may have made some
     */
    lower(limits: Budget, left: number): void {
      const now = clock.now();
      budget = {
        perMinute: Math.min(budget.perMinute, limits.perMinute),
        perMonth: Math.min(budget.perMonth, limits.perMonth),
      };
      share = { month: monthOf(now).start, calls: spentAt(now) + left };
    },

    /** The schedule as the month's budget allows it now. */
    schedule(): RefreshSchedule {
      const now = clock.now();
      return throttle(budgetAt(now), spentAt(now), now);
    },
  };
}

export type UpstreamBudget<RefreshSchedule> = Awaited<ReturnType<typeof openBudget<RefreshSchedule>>>;

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
