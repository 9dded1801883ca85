import { SECOND } from '../domain/clock.ts';
import { Problem } from '../problems.ts';

/** How far ahead of now a place may be, in ms; sums of fractions are not exact. */
const FURTHEST = SECOND + 1e-6;

/**
 * So many requests a second for each holder of a key, in this process, all of them at once if they like: the
 * generic cell rate algorithm, which needs one number for each. A rate of 0 lets everything pass.
 */
export function createBurst(perSecond: number) {
  const interval = SECOND / perSecond;
  /** When the last of a holder's requests would have come, had they come evenly; in Unix ms. */
  const arrivals = new WeakMap<object, number>();

  /** The place of a holder's next request, had they come evenly, and whether it is too far ahead. */
  function placeOf(holder: object, now: number) {
    const last = arrivals.get(holder) ?? now;
    // No place is more than a second ahead: one that is comes from before the clock was set back.
    const arrival = (last - now > FURTHEST ? now : Math.max(now, last)) + interval;
    return { arrival, isTooSoon: arrival - now > FURTHEST };
  }

  return {
    /** Whether `admit` would throw. */
    refuses: (holder: object, now: number): boolean => perSecond > 0 && placeOf(holder, now).isTooSoon,

    /** Throws `rate_limited` with the seconds to the next slot. */
    admit(holder: object, now: number): void {
      if (perSecond === 0) return;
      const { arrival, isTooSoon } = placeOf(holder, now);
      if (isTooSoon) {
        const retryAfter = (arrival - now - SECOND) / SECOND;
        throw new Problem('rate_limited', `More than ${perSecond} requests in a second.`, { retryAfter });
      }
      arrivals.set(holder, arrival);
    },
  };
}

export type Burst = ReturnType<typeof createBurst>;
