import { DAY } from './clock.ts';

/**
 * Limits the delays of this thread's `setTimeout` to a day, because a delay above 24.8 days overflows and fires at
 * once. Only for libraries whose callbacks check after a day whether they are due.
 */
export function boundTimeouts(): void {
  const { setTimeout } = globalThis;
  const bounded = (work: () => void, ms?: number, ...values: []) =>
    setTimeout(work, ms === undefined ? ms : Math.min(ms, DAY), ...values);
  globalThis.setTimeout = Object.assign(bounded, setTimeout) as typeof setTimeout;
}
