import { MINUTE, SECOND } from './clock.ts';

/** Failures in a row after which an upstream is left alone, and for how long: doubled each time, up to a bound. */
const FAILURES = 5;
const FIRST_OPEN = 10 * SECOND;
const LONGEST_OPEN = 5 * MINUTE;
/** How long an upstream is left alone that limits our rate and does not say for how long. */
const RATE_LIMITED = MINUTE;

/** Closed lets calls through, open none, half open one, to try. */
export type BreakerState = 'closed' | 'half_open' | 'open';

/**
 * A circuit breaker: closed, open until an instant, then half open, where one call is let through to try. Instants
 * are of a monotonic clock, in ms.
 */
export function createBreaker() {
  let failures = 0;
  let openings = 0;
  let openUntil = Number.NEGATIVE_INFINITY;
  let probing = false;

  function open(now: number, forMs: number): void {
    openUntil = Math.max(openUntil, now + forMs);
    probing = false;
  }

  return {
    state(now: number): BreakerState {
      if (now < openUntil) return 'open';
      return openings === 0 && failures < FAILURES ? 'closed' : 'half_open';
    },

    /** Milliseconds to wait before the next call may go out; 0 lets this one go. */
    admit(now: number): number {
      if (now < openUntil) return openUntil - now;
      if (openings === 0 && failures < FAILURES) return 0;
      if (probing) return SECOND;
      probing = true;
      return 0;
    },

    /** A call went well; one that was on its way when the upstream asked to be left alone does not end that. */
    succeeded(now: number): void {
      if (now < openUntil) return;
      failures = 0;
      openings = 0;
      openUntil = Number.NEGATIVE_INFINITY;
      probing = false;
    },

    /** The call that was let through was not made after all. */
    withdrawn(): void {
      probing = false;
    },

    /**
     * The upstream is in trouble. Calls that were on their way together are one failure once it is left alone.
     *
     * @param seldom how long it may be left alone where its calls are few and none is to be wasted, in ms
     */
    failed(now: number, seldom = 0): void {
      if (now < openUntil) return;
      failures += 1;
      if (failures < FAILURES && openings === 0) return;
      open(now, Math.min(Math.max(LONGEST_OPEN, seldom), FIRST_OPEN * 2 ** openings));
      openings += 1;
    },

    /** The upstream asks to be left alone, for so many ms where it said. */
    limited(now: number, forMs: number = RATE_LIMITED): void {
      openings = Math.max(1, openings);
      open(now, forMs);
    },
  };
}

export type Breaker = ReturnType<typeof createBreaker>;
