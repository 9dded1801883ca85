import { type Clock, MINUTE, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import type { FailureLog } from '#upstream/failure-log';
import { type ActivityStore, AT_ONCE } from './activity-store.ts';

/** How often one of the processes updates the summary, and how often each process checks whether it is its turn, in ms. */
const UPDATE_EVERY = MINUTE;
const TURN_EVERY = 10 * SECOND;
/** The pauses are at least this many times as long as an update, and therefore grow with the number of active users. */
const PART = 50;
/** After a longer pause, it is unknown when the calls since the last update were made. In ms. */
const LONGEST_GAP = 15 * MINUTE;

type Dependencies = {
  store: ActivityStore;
  refreshes: Pick<RefreshStore, 'read' | 'takeTurn'>;
  clock: Clock;
};

/** Keeps the summary by which users are sorted. The summary is also read by processes that do not update it. */
export function createActivity({ store, refreshes, clock }: Dependencies) {
  let longest = 0;

  async function update(apart: number): Promise<void> {
    const [row] = await refreshes.read(['activity']);
    if (!(await refreshes.takeTurn('activity', apart))) return;
    const [now, since] = [clock.now(), clock.elapsed()];
    while ((await store.add(now)) >= AT_ONCE);
    const isContinuous = now - (row?.fetchedAt ?? Number.NEGATIVE_INFINITY) <= LONGEST_GAP;
    for (let last: number | undefined = 0; last !== undefined; ) last = await store.update(now, isContinuous, last);
    longest = Math.max(longest / 2, clock.elapsed() - since);
  }

  return {
    lastHours: store.lastHours,
    /** Updates the summary now. */
    update: (): Promise<void> => update(0),

    /** Updates the summary about once a minute, until `close`. */
    watch(failures: Pick<FailureLog, 'failed'>) {
      const work = () => update(Math.max(UPDATE_EVERY, longest * PART));
      const watching = every(TURN_EVERY, work, { onError: (error) => failures.failed('activity summary', error) });
      void watching.run();
      return watching;
    },
  };
}

export type Activity = ReturnType<typeof createActivity>;
