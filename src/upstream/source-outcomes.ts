import { type Clock, latestOf, SECOND } from '#core/clock';
import type { Job } from '#core/jobs';
import type { FailureCause } from './failures/failure.ts';
import type { FailureLog } from './failures/failure-log.ts';
import { ageAt } from './freshness.ts';
import type { SourceOutcome, SourceOutcomesStore } from './source-outcomes-store.ts';

/** How often the outcomes of this process's calls are written, in ms. */
const WRITE_INTERVAL = 5 * SECOND;
const JOB = 'source outcome record';

type Dependencies = { store: SourceOutcomesStore; clock: Clock; failures: Pick<FailureLog, 'failed'> };

/** Removes times in the future. They were written before the clock was set back, and would hide all later calls. */
function past({ source, succeededAt, failure }: SourceOutcome, now: number): SourceOutcome {
  const isPast = (at: number) => Number.isFinite(ageAt(at, now));
  return {
    source,
    succeededAt: succeededAt !== null && isPast(succeededAt) ? succeededAt : null,
    failure: failure !== null && isPast(failure.at) ? failure : null,
  };
}

function merged(a: SourceOutcome, b: SourceOutcome): SourceOutcome {
  return {
    source: a.source,
    succeededAt: latestOf([a.succeededAt, b.succeededAt]),
    failure: a.failure && (!b.failure || a.failure.at > b.failure.at) ? a.failure : b.failure,
  };
}

/** Shares the times of the last calls to each source among all processes. Calls do not wait for the writes. */
export function createSourceOutcomes({ store, clock, failures }: Dependencies) {
  let unwritten = new Map<string, SourceOutcome>();
  /** The outcomes of all processes as of the last `sync`, and this process's own outcomes since then. */
  const outcomes = new Map<string, SourceOutcome>();

  const latest = (source: string): SourceOutcome =>
    outcomes.get(source) ?? { source, succeededAt: null, failure: null };
  function learn(outcome: SourceOutcome): void {
    const now = clock.now();
    outcomes.set(outcome.source, merged(past(latest(outcome.source), now), past(outcome, now)));
  }

  async function write(): Promise<void> {
    if (unwritten.size === 0) return;
    const outcomes = unwritten;
    unwritten = new Map();
    try {
      await store.write([...outcomes.values()], clock.now());
    } catch (error) {
      unwritten = new Map([...outcomes, ...unwritten]);
      throw error;
    }
  }

  return {
    note(source: string, outcome: FailureCause | 'ok'): void {
      const at = clock.now();
      const unsaved = past(unwritten.get(source) ?? { source, succeededAt: null, failure: null }, at);
      const next = outcome === 'ok' ? { ...unsaved, succeededAt: at } : { ...unsaved, failure: { at, cause: outcome } };
      unwritten.set(source, next);
      learn(next);
    },

    latest,
    sync: async (): Promise<void> => (await store.read()).forEach(learn),
    write,
    job: { name: JOB, every: WRITE_INTERVAL, run: write } satisfies Job,
    read: store.read,

    async close(): Promise<void> {
      await write().catch((error) => failures.failed(JOB, error, { isStopping: true }));
    },
  };
}

export type SourceOutcomes = ReturnType<typeof createSourceOutcomes>;
