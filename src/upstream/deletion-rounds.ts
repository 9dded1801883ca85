import { randomUUID } from 'node:crypto';
import { type Clock, MINUTE } from '#core/clock';
import { every } from '#core/every';
import type { RefreshStore } from './claims-and-budgets-store.ts';
import type { FailureLog } from './failure-log.ts';
import { ageAt } from './freshness.ts';

/** How often a process checks whether a round is due, in ms. */
const LOOK_EVERY = MINUTE;
/** How long a process that died keeps the others from a round, in ms; a batch takes much less. */
const CLAIM = 10 * MINUTE;

type Dependencies = {
  /** The row of `Refresh` that has the claim, and when the last round ended. */
  name: 'retention' | 'usage-retention';
  refreshes: Pick<RefreshStore, 'read' | 'claim' | 'release' | 'complete'>;
  /** Whether a round is due, at an age of the last one in ms: Infinity where there was none. */
  isDue: (age: number, now: number) => boolean;
  /** Deletes what is too old at an instant (Unix ms), and yields after each batch. */
  deleteOld: (now: number) => AsyncIterable<unknown>;
  /** Called after each round, also after one that was cut short. */
  afterRound?: () => Promise<unknown>;
  clock: Clock;
  failures: Pick<FailureLog, 'failed'>;
};

/** Deletes what has been kept for as long as it may be, in rounds: each is made by one process, whichever finds it due. */
export function createDeletionRounds(dependencies: Dependencies) {
  const { name, refreshes, isDue, deleteOld, afterRound, clock, failures } = dependencies;
  const holder = randomUUID();
  let isClosed = false;

  async function runWhenDue(): Promise<void> {
    const now = clock.now();
    const [last] = await refreshes.read([name]);
    if (!isDue(ageAt(last?.fetchedAt ?? undefined, now), now)) return;
    const claim = () => refreshes.claim(name, holder, CLAIM, last?.version ?? 0);
    if (!(await claim())) return;
    try {
      // Each batch extends the claim: a first round of years may take longer than one.
      for await (const _ of deleteOld(now)) if (isClosed || !(await claim())) return;
      await refreshes.complete(name, holder, now);
    } finally {
      await refreshes.release(name, holder);
      await afterRound?.();
    }
  }

  const looking = every(LOOK_EVERY, runWhenDue, { onError: (error) => failures.failed(name, error) });
  void looking.run();

  return {
    /** Checks whether a round is due, and resolves when it is done. */
    look: looking.run,

    /** Stops after the batch under way. */
    async close(): Promise<void> {
      isClosed = true;
      await looking.close();
    },
  };
}

export type DeletionRounds = ReturnType<typeof createDeletionRounds>;
