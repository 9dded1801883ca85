import { SECOND } from '#core/clock';
import { Problem } from '#core/problems';

/**
 * So many requests in a time (ms) for each of those who ask (a user, or a client's address), in this process, all of them
 * at once if they like: the generic cell rate algorithm, which needs one number for each. 0 lets everything pass.
 */
export function createBurst<Who extends number | string>(
  most: number,
  time = SECOND,
  detail = `More than ${most} requests in a second.`,
) {
  const interval = time / most;
  /** A request may be at most this far ahead of an even pace, in ms. Sums of fractions are not exact. */
  const furthest = time + 1e-6;
  /** When the last request of each would have come, had they come evenly; in Unix ms. */
  let arrivals = new Map<Who, number>();
  /** The same of those who have not asked since `turned`: none of it matters once `time` has passed. */
  let older = new Map<Who, number>();
  let turned = 0;

  /** The place of the next request, had they come evenly, and whether it is too far ahead. */
  function placeOf(who: Who, now: number) {
    const last = arrivals.get(who) ?? older.get(who) ?? now;
    // No place is more than `time` ahead: one that is comes from before the clock was set back.
    const arrival = (last - now > furthest ? now : Math.max(now, last)) + interval;
    return { arrival, isTooSoon: arrival - now > furthest };
  }

  function keep(who: Who, arrival: number, now: number): void {
    if (Math.abs(now - turned) > time) {
      older = arrivals;
      arrivals = new Map();
      turned = now;
    }
    arrivals.set(who, arrival);
  }

  return {
    /** Whether `admitOrThrow` would throw. */
    refuses: (who: Who, now: number): boolean => most > 0 && placeOf(who, now).isTooSoon,

    /** Throws `rate_limited` with the seconds to the next slot. */
    admitOrThrow(who: Who, now: number): void {
      if (most === 0) return;
      const { arrival, isTooSoon } = placeOf(who, now);
      if (isTooSoon) {
        throw new Problem('rate_limited', detail, { retryAfter: (arrival - now - time) / SECOND });
      }
      keep(who, arrival, now);
    },

    /** Of how many something is kept: those who asked within the last seconds. */
    size: (): number => arrivals.size + older.size,
  };
}
