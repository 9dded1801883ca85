import { type Clock, MINUTE, SECOND } from '#core/clock';
import type { Job } from '#core/jobs';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import { type ActivityStore, AT_ONCE } from './activity-store.ts';

/** How often one of the processes updates the summary, and how often each process checks for its turn, in ms. */
const UPDATE_INTERVAL = MINUTE;
const TURN_INTERVAL = 10 * SECOND;
/** Each pause is at least this many times as long as an update, and therefore grows with the number of active users. */
const PART = 50;
/** The longest pause between updates, in ms, after which the slot of the calls since the last update is known. */
const MAX_GAP = 15 * MINUTE;

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
    const now = clock.now();
    const since = clock.elapsed();
    while ((await store.add(now)) >= AT_ONCE);
    const isContinuous = now - (row?.fetchedAt ?? Number.NEGATIVE_INFINITY) <= MAX_GAP;
    for (let last: number | undefined = 0; last !== undefined; ) last = await store.update(now, isContinuous, last);
    longest = Math.max(longest / 2, clock.elapsed() - since);
  }

  return {
    lastHours: store.lastHours,
    update: (): Promise<void> => update(0),

    job: {
      name: 'activity summary',
      every: TURN_INTERVAL,
      run: () => update(Math.max(UPDATE_INTERVAL, longest * PART)),
      isImmediate: true,
    } satisfies Job,
  };
}

export type Activity = ReturnType<typeof createActivity>;
