import { type Clock, MINUTE, SECOND } from '../domain/clock.ts';

/** A budget of calls in windows of one minute, the first of which begins with the first call. */
export function createRateLimit(clock: Clock, callsPerMinute = Number.POSITIVE_INFINITY) {
  let began = Number.NEGATIVE_INFINITY;
  let used = 0;
  return {
    /** Takes one call; gives 0, or, where none is left, the whole seconds until there is. */
    take(): number {
      const now = clock.now();
      if (now - began >= MINUTE) {
        began = now;
        used = 0;
      }
      if (used >= callsPerMinute) return Math.ceil((began + MINUTE - now) / SECOND);
      used += 1;
      return 0;
    },
  };
}
