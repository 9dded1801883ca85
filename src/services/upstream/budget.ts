import { type Clock, MINUTE } from '#domain/clock';
import { type Budget, monthOf } from '#domain/upstream/budget';
import type { RefreshStore } from '#stores/upstream/claims-and-budgets';

type Dependencies<RefreshSchedule> = {
  store: RefreshStore;
  upstream: string;
  budget: Budget;
  /** The schedule by which the month's budget lasts, when so many of its calls are spent. */
  throttle: (spent: number, now: number) => RefreshSchedule;
  clock: Clock;
};

/** The calls an upstream has left, shared by all processes, and the refresh schedule that they allow. */
export async function openBudget<RefreshSchedule>(dependencies: Dependencies<RefreshSchedule>) {
  const { store, upstream, budget, throttle, clock } = dependencies;
  let month = monthOf(clock.now()).start;
  let spent = await store.spent(upstream, month);

  /** The calls spent in the month that an instant lies in, as far as this process knows. */
  const spentAt = (now: number) => (monthOf(now).start > month ? 0 : spent);

  return {
    /** Takes one call from the budget; false when this minute or this month has none left. */
    async reserve(): Promise<boolean> {
      const now = clock.now();
      const windows = { minute: Math.floor(now / MINUTE) * MINUTE, month: monthOf(now).start };
      const count = await store.reserve(upstream, windows, budget);
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
    reading: () => ({ spent: spentAt(clock.now()), limit: budget.perMonth }),

    /** The schedule as the month's budget allows it now. */
    schedule(): RefreshSchedule {
      const now = clock.now();
      return throttle(spentAt(now), now);
    },
  };
}

export type UpstreamBudget<RefreshSchedule> = Awaited<ReturnType<typeof openBudget<RefreshSchedule>>>;
