import { performance } from 'node:perf_hooks';
import { SECOND } from '#domain/clock';

/** How often to look, in ms; from which growth on it is worth collecting; and how calm the loop has to be. */
const LOOK = 5 * SECOND;
const GROWN = 1.1;
const CALM = 0.5;

/**
 * V8 collects when it allocates, so what a burst of work left behind stays resident while the process is calm. When it
 * has grown by a tenth since it last collected for this, and the loop is idle for half of its time, it is collected.
 * Some 50 ms each time, and never twice for the same memory: what does not come back counts as in use.
 *
 * Needs Node's `--expose-gc`, which the starter gives; without it nothing is done. (To ask V8 for `gc` in a context
 * of its own costs a tenth of the throughput.)
 */
export function giveBackMemory(): { close: () => Promise<void> } {
  let inUse = Number.POSITIVE_INFINITY;
  let before = performance.eventLoopUtilization();

  const looking = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const resident = process.memoryUsage.rss();
    inUse = Math.min(inUse, resident);
    if (resident < GROWN * inUse || utilization > CALM) return;
    globalThis.gc?.();
    inUse = process.memoryUsage.rss();
  }, LOOK).unref();

  return { close: async () => clearInterval(looking) };
}
