import { parentPort, workerData } from 'node:worker_threads';

// The embedded database's thread, with a wall clock that the test sets and a report of each delay that is requested.

const { aheadMs } = workerData as { aheadMs: Float64Array };
const { now } = Date;
Date.now = () => now() + (aheadMs[0] as number);

const { setTimeout } = globalThis;
const reported = (work: () => void, ms?: number) => {
  parentPort?.postMessage({ kind: 'delay', ms });
  return setTimeout(work, ms);
};
globalThis.setTimeout = Object.assign(reported, setTimeout) as typeof setTimeout;

await import('#database/embedded/worker');
