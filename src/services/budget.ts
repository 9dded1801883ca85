import { type Budget, monthOf, stretched } from '../domain/budget.ts';
import { type Clock, MINUTE, SECOND } from '../domain/clock.ts';
import type { Timetable } from '../domain/timetable.ts';
import type { RefreshStore } from '../stores/refreshes.ts';

/** How long a timetable stands that was reckoned from the same count, in ms. */
const RECKON = SECOND;

type Parts = { store: RefreshStore; upstream: string; budget: Budget; timetable: Timetable; clock: Clock };

/** What an upstream may still be asked, shared by all processes, and how often that lets things be refreshed. */
export async function openBudget({ store, upstream, budget, timetable, clock }: Parts) {
  let month = monthOf(clock.now()).start;
  let spent = await store.spent(upstream, month);
  let reckoned = { at: Number.NEGATIVE_INFINITY, spent: -1, timetable };

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

    /** The timetable as the month's budget allows it now. */
    timetable(): Timetable {
      const now = clock.now();
      if (reckoned.spent !== spent || now < reckoned.at || now >= reckoned.at + RECKON) {
        const thisMonth = monthOf(now).start > month ? 0 : spent;
        reckoned = { at: now, spent, timetable: stretched(timetable, budget, thisMonth, now) };
      }
      return reckoned.timetable;
    },
  };
}

export type UpstreamBudget = Awaited<ReturnType<typeof openBudget>>;
