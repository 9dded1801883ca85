import { SECOND } from '../domain/clock.ts';
import { Problem } from '../problems.ts';

/**
 * So many requests a second for each holder of a key, in this process, all of them at once if they like: the
 * generic cell rate algorithm, which needs one number for each. A rate of 0 lets everything pass.
 */
export function createBurst(perSecond: number) {
  const interval = SECOND / perSecond;
  /** When the last of a holder's requests would have come, had they come evenly; in Unix ms. */
  const arrivals = new WeakMap<object, number>();

  return {
    /** Throws `rate_limited` with the seconds to the next slot. */
    admit(holder: object, now: number): void {
      if (perSecond === 0) return;
      const arrival = Math.max(now, Math.min(arrivals.get(holder) ?? now, now + SECOND)) + interval;
      if (arrival - now > SECOND + 1e-6) {
        const retryAfter = (arrival - now - SECOND) / SECOND;
        throw new Problem('rate_limited', `More than ${perSecond} requests in a second.`, { retryAfter });
      }
      arrivals.set(holder, arrival);
    },
  };
}
