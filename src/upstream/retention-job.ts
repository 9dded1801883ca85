import { randomUUID } from 'node:crypto';
import { type Clock, MINUTE } from '#core/clock';
import type { Job } from '#core/jobs';
import type { RefreshStore } from './claims-and-budgets-store.ts';
import { ageAt } from './freshness.ts';

const LOOK_INTERVAL = MINUTE;
/** How long the claim of a dead process blocks other processes, in ms. A batch takes much less time. */
const CLAIM = 10 * MINUTE;

type Dependencies = {
  name: 'retention' | 'usage-retention';
  refreshes: Pick<RefreshStore, 'read' | 'claim' | 'release' | 'complete'>;
  /** `age` is the time since the last round in ms, or Infinity before the first round. */
  isDue: (age: number, now: number) => boolean;
  /** Yields after each batch. */
  deleteOld: (now: number) => AsyncIterable<unknown>;
  afterRound?: () => Promise<unknown>;
  clock: Clock;
};

/** Deletes expired data in rounds. Each round runs in only one process. */
export function createRetentionJob({ name, refreshes, isDue, deleteOld, afterRound, clock }: Dependencies): Job {
  const holder = randomUUID();

  async function run(stopping: AbortSignal): Promise<void> {
    const now = clock.now();
    const [last] = await refreshes.read([name]);
    if (!isDue(ageAt(last?.fetchedAt ?? undefined, now), now)) return;
    const claim = () => refreshes.claim(name, holder, CLAIM, last?.version ?? 0);
    if (!(await claim())) return;
    try {
      // Each batch extends the claim, because a first round over years of data may take longer than one claim.
      for await (const _ of deleteOld(now)) if (stopping.aborted || !(await claim())) return;
      await refreshes.complete(name, holder, now);
    } finally {
      await refreshes.release(name, holder);
      await afterRound?.();
    }
  }

  return { name, every: LOOK_INTERVAL, run, isImmediate: true };
}
