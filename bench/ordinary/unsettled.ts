import { setTimeout as wait } from 'node:timers/promises';
import { reading } from '../reading.ts';

const EVERY_MS = 250;

/** What of a process's calls is spent, and what of these is in the ledger, at an instant. */
type Sample = { at: number; spent: number; settled: number };

async function sample(metrics: string): Promise<Sample> {
  const at = performance.now();
  const read = await reading(metrics);
  const settled = read('quotient_calls_settled_total');
  return { at, settled, spent: settled + read('quotient_leases_unsettled_calls') };
}

/**
 * Watches how long calls wait to be in the ledger, as if they came there in the order in which they were spent: the age
 * of the last moment at which no more was spent than is settled now.
 */
export function watchUnsettled(processes: readonly string[]) {
  const watching = new AbortController();
  let longest = 0;

  async function watch(metrics: string): Promise<void> {
    let samples: Sample[] = [];
    const look = async () => {
      const now = await sample(metrics);
      samples.push(now);
      const settledAt = samples.findLastIndex(({ spent }) => spent <= now.settled);
      samples = samples.slice(Math.max(0, settledAt));
      const oldest = samples[0] as Sample;
      if (now.spent > now.settled) longest = Math.max(longest, now.at - oldest.at);
      return now;
    };
    while (!watching.signal.aborted) {
      await look();
      await wait(EVERY_MS);
    }
    for (let now = await look(); now.spent > now.settled; now = await look()) await wait(EVERY_MS);
  }

  const watched = Promise.all(processes.map(watch));
  // Whoever closes it hears of it.
  watched.catch(() => undefined);

  return {
    /** Waits until all is settled; gives the longest time (s) that anything was not. */
    async close(): Promise<number> {
      watching.abort();
      await watched;
      return longest / 1000;
    },
  };
}
