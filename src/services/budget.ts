import { type Budget, monthOf } from '../domain/budget.ts';
import { type Clock, MINUTE, SECOND } from '../domain/clock.ts';
import type { RefreshStore } from '../stores/refreshes.ts';

/** How long a timetable stands that was reckoned from the same count, in ms. */
const RECKON = SECOND;

type Parts<Timetable> = {
  store: RefreshStore;
  upstream: string;
  budget: Budget;
  /** The timetable that lets the month's budget last, when so many of its calls are spent. */
  stretch: (spent: number, now: number) => Timetable;
  clock: Clock;
};

/** What an upstream may still be asked, shared by all processes, and how often that lets things be refreshed. */
export async function openBudget<Timetable>(parts: Parts<Timetable>) {
  const { store, upstream, budget, stretch, clock } = parts;
  let month = monthOf(clock.now()).start;
  let spent = await store.spent(upstream, month);
  let reckoned = reckon();

  function reckon() {
    const now = clock.now();
    return { at: now, spent, timetable: stretch(monthOf(now).start > month ? 0 : spent, now) };
  }

  return {
    /** Takes one call; false when this minute or this month has none left. */
    async reserve(): Promise<boolean> {
      const now = clock.now();
      const windows = { minute: Math.floor(now / MINUTE) * MINUTE, month: monthOf(now).start };
      const count = await store.reserve(upstream, windows, budget);
      if (count === undefined) return false;
      month = windows.month;
      spent = count;
      return true;
    },

    /** Takes over what other processes have spent. */
    async sync(): Promise<void> {
      month = monthOf(clock.now()).start;
      spent = await store.spent(upstream, month);
    },

    /** What is spent of the running month's calls, as far as this process knows, and how many there are. */
    reading(): { spent: number; limit: number } {
      return { spent: monthOf(clock.now()).start > month ? 0 : spent, limit: budget.perMonth };
    },

    /** The timetable as the month's budget allows it now. */
    timetable(): Timetable {
      const now = clock.now();
      if (reckoned.spent !== spent || now < reckoned.at || now >= reckoned.at + RECKON) {
        reckoned = reckon();
      }
      return reckoned.timetable;
    },
  };
}

export type UpstreamBudget<Timetable> = Awaited<ReturnType<typeof openBudget<Timetable>>>;
