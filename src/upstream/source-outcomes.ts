import { type Clock, SECOND } from '#core/clock';
import { every } from '#core/every';
import type { FailureCause } from './failure.ts';
import type { FailureLog } from './failure-log.ts';
import type { SourceOutcome, SourceOutcomesStore } from './source-outcomes-store.ts';

/** How often the outcomes of this process's calls are written, in ms. */
const WRITE_EVERY = 5 * SECOND;

type Dependencies = { store: SourceOutcomesStore; clock: Clock; failures: Pick<FailureLog, 'failed'> };

/** Shares the times of the last calls to each source among all processes. A call does not wait for the record. */
export function createSourceOutcomes({ store, clock, failures }: Dependencies) {
  let unwritten = new Map<string, SourceOutcome>();

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
      const known = unwritten.get(source) ?? { source, succeededAt: null, failure: null };
      const at = clock.now();
      unwritten.set(
        source,
        outcome === 'ok' ? { ...known, succeededAt: at } : { ...known, failure: { at, cause: outcome } },
      );
    },

    write: writing.run,
    read: store.read,

    async close(): Promise<void> {
      await writing.close();
      await write().catch((error) => failures.failed('source outcome record', error, { isStopping: true }));
    },
  };
}

export type SourceOutcomes = ReturnType<typeof createSourceOutcomes>;
