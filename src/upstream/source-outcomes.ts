import { type Clock, latestOf, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { FailureCause } from './failure.ts';
import type { FailureLog } from './failure-log.ts';
import type { SourceOutcome, SourceOutcomesStore } from './source-outcomes-store.ts';

/** How often the outcomes of this process's calls are written, in ms. */
const WRITE_EVERY = 5 * SECOND;

type Dependencies = { store: SourceOutcomesStore; clock: Clock; failures: Pick<FailureLog, 'failed'> };

/** The later success and the later failure of two outcomes. */
function merged(a: SourceOutcome, b: SourceOutcome): SourceOutcome {
  return {
    source: a.source,
    succeededAt: latestOf([a.succeededAt, b.succeededAt]),
    failure: a.failure && (!b.failure || a.failure.at > b.failure.at) ? a.failure : b.failure,
  };
}

/** Shares the times of the last calls to each source among all processes. A call does not wait for the record. */
export function createSourceOutcomes({ store, clock, failures }: Dependencies) {
  let unwritten = new Map<string, SourceOutcome>();
  /** The outcomes of all processes as of the last `sync`, and of this process. */
  const known = new Map<string, SourceOutcome>();

  const latest = (source: string): SourceOutcome => known.get(source) ?? { source, succeededAt: null, failure: null };
  const learn = (outcome: SourceOutcome) => void known.set(outcome.source, merged(latest(outcome.source), outcome));

  async function write(): Promise<void> {
    if (unwritten.size === 0) return;
    const outcomes = unwritten;
    unwritten = new Map();
    try {
      await store.write([...outcomes.values()]);
    } catch (error) {
      unwritten = new Map([...outcomes, ...unwritten]);
      throw error;
    }
  }
  const writing = every(WRITE_EVERY, write, {
    onError: (error) => failures.failed('source outcome record', error),
    isUnref: true,
  });

  return {
    note(source: string, outcome: FailureCause | 'ok'): void {
      const unsaved = unwritten.get(source) ?? { source, succeededAt: null, failure: null };
      const at = clock.now();
      const next = outcome === 'ok' ? { ...unsaved, succeededAt: at } : { ...unsaved, failure: { at, cause: outcome } };
      unwritten.set(source, next);
      learn(next);
    },

    /** The last calls by this process, and by other processes as of the last `sync`. */
    latest,
    sync: async (): Promise<void> => (await store.read()).forEach(learn),
    write: writing.run,
    read: store.read,

    async close(): Promise<void> {
      await writing.close();
      await write().catch((error) => failures.failed('source outcome record', error, { isStopping: true }));
    },
  };
}

export type SourceOutcomes = ReturnType<typeof createSourceOutcomes>;
