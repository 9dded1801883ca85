import { type Clock, MINUTE, SECOND } from '#domain/clock';

/** A rate limit with windows of one minute, the first of which begins with the first call. */
export function createRateLimit(clock: Clock, callsPerMinute = Number.POSITIVE_INFINITY) {
  let began = Number.NEGATIVE_INFINITY;
  let used = 0;
  return {
    /** Counts a call and returns 0, or the seconds to wait if no call is left. */
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
