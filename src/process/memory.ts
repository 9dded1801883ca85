import { performance } from 'node:perf_hooks';
import { SECOND } from '#core/clock';
import { every } from '#core/every';

/** The check interval in ms, and the maximum loop utilization of a calm interval. */
const LOOK = 3 * SECOND;
const CALM = 0.1;
/** The collection discards compiled code, so pauses between bursts of up to this many calm intervals do not trigger it. */
const CALM_LOOKS = 5;
/** The growth that triggers a collection. Memory must return to within a fifth of its quiet level. */
const GROWN = 1.15;
/** V8 releases all free pages: a process of 240 MB with 100 MB in use shrinks to 150 MB instead of 220 MB. */
const ALL = { type: 'major', flavor: 'last-resort' } as const;

/**
 * Collects garbage while the process is idle after a burst (see the README), in 50 to 120 ms. `gc` requires
 * `--expose-gc`: obtaining it from a V8 context would cost a tenth of the throughput.
 */
export function startIdleGc(): { close: () => Promise<void> } {
  let inUse = process.memoryUsage.rss();
  let before = performance.eventLoopUtilization();
  let calmLooks = 0;

  const look = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    calmLooks = utilization > CALM ? 0 : calmLooks + 1;
    const resident = process.memoryUsage.rss();
    inUse = Math.min(inUse, resident);
    if (resident < GROWN * inUse || calmLooks < CALM_LOOKS) return;
    globalThis.gc?.(ALL);
    inUse = process.memoryUsage.rss();
  };
  return every(LOOK, look, { isUnref: true });
}
