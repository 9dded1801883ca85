import { MINUTE, SECOND } from '#core/clock';

/** Failures in a row that open the circuit, and for how long: doubled each time, up to a bound. */
const FAILURES = 5;
const FIRST_OPEN = 10 * SECOND;
const LONGEST_OPEN = 5 * MINUTE;
/** How long the circuit opens on a rate limit without `Retry-After`. */
const RATE_LIMITED = MINUTE;

/** Closed lets calls through, open none, half open a single probe. */
export type CircuitState = 'closed' | 'half_open' | 'open';

/**
 * A circuit breaker: closed, open until an instant, then half open, where one probe is let through. Instants are of a
 * monotonic clock, in ms.
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
    state(now: number): CircuitState {
      if (now < openUntil) return 'open';
      return openings === 0 && failures < FAILURES ? 'closed' : 'half_open';
    },

    /** Asks for a call: 0 lets it go out, else the ms until the next may be asked for. */
    request(now: number): number {
      if (now < openUntil) return openUntil - now;
      if (openings === 0 && failures < FAILURES) return 0;
      if (probing) return SECOND;
      probing = true;
      return 0;
    },

    /** A call succeeded. One that was in flight when the circuit opened does not close it. */
    succeeded(now: number): void {
      if (now < openUntil) return;
      failures = 0;
      openings = 0;
      openUntil = Number.NEGATIVE_INFINITY;
      probing = false;
    },

    /** The call that was let through was not made, or tells nothing of the upstream. */
    cancelled(): void {
      probing = false;
    },

    /**
     * A call failed. Calls that were in flight together count once when the circuit opens.
     *
     * @param spacing how far apart its calls may be, in ms: the circuit may stay open as long, so no call is wasted
     */
    failed(now: number, spacing = 0): void {
      if (now < openUntil) return;
      failures += 1;
      if (failures < FAILURES && openings === 0) return;
      open(now, Math.min(Math.max(LONGEST_OPEN, spacing), FIRST_OPEN * 2 ** openings));
      openings += 1;
    },

    /** The upstream limits our rate, for so many ms where it says so. */
    rateLimited(now: number, forMs: number = RATE_LIMITED): void {
      openings = Math.max(1, openings);
      open(now, forMs);
    },
  };
}

export type Breaker = ReturnType<typeof createBreaker>;
