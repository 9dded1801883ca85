import { setTimeout as wait } from 'node:timers/promises';
import { reading } from '../../measuring/reading.ts';

const EVERY_MS = 250;

/** A process's spent calls at one time, and how many of them are settled. */
type Sample = { at: number; spent: number; settled: number };

async function sample(metrics: string): Promise<Sample> {
  const at = performance.now();
  const read = await reading(metrics);
  const settled = read('quotient_calls_settled_total');
  return { at, settled, spent: settled + read('quotient_leases_unsettled_calls') };
}

/**
 * Measures how long calls wait until they are in the ledger, assuming that calls are settled in the order in which they
 * were spent. The wait is the age of the newest sample whose spent calls are all settled now.
 */
export function watchUnsettled(processes: readonly string[]) {
  const watching = new AbortController();
  let longest = 0;

  async function watch(metrics: string): Promise<void> {
    let samples: Sample[] = [];
    const takeSample = async () => {
      const now = await sample(metrics);
      samples.push(now);
      const settledAt = samples.findLastIndex(({ spent }) => spent <= now.settled);
      samples = samples.slice(Math.max(0, settledAt));
      const oldest = samples[0] as Sample;
      if (now.spent > now.settled) longest = Math.max(longest, now.at - oldest.at);
      return now;
    };
    while (!watching.signal.aborted) {
      await takeSample();
      await wait(EVERY_MS);
    }
    for (let now = await takeSample(); now.spent > now.settled; now = await takeSample()) await wait(EVERY_MS);
  }

  const watched = Promise.all(processes.map(watch));
  // `close` reports the error.
  watched.catch(() => undefined);

  return {
    /** Waits until all calls are settled. Returns the longest waiting time in s. */
    async close(): Promise<number> {
      watching.abort();
      await watched;
      return longest / 1000;
    },
  };
}
