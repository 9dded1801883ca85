import { MINUTE, SECOND } from '#core/clock';

/** How many consecutive failures open the circuit, and for how long (ms). The time doubles up to `LONGEST_OPEN`. */
const FAILURES = 5;
const FIRST_OPEN = 10 * SECOND;
const LONGEST_OPEN = 5 * MINUTE;
/** How long a rate limit without `Retry-After` opens the circuit, in ms. */
const RATE_LIMITED = MINUTE;
export type CircuitState = 'closed' | 'half_open' | 'open';

/** A circuit is closed, open until an instant, or half open with a single probe. Instants are in monotonic ms. */
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

    /** Requests a call. Returns 0 if the call is allowed, or the time in ms until the next request is useful. */
    request(now: number): number {
      if (now < openUntil) return openUntil - now;
      if (openings === 0 && failures < FAILURES) return 0;
      if (probing) return SECOND;
      probing = true;
      return 0;
    },

    /** A success that was in flight when the circuit opened does not close it. */
    succeeded(now: number): void {
      if (now < openUntil) return;
      failures = 0;
      openings = 0;
      openUntil = Number.NEGATIVE_INFINITY;
      probing = false;
    },

    /** The allowed call was not made, or its outcome does not describe the upstream's state. */
    cancelled(): void {
      probing = false;
    },

    /** Concurrent failures after the circuit has opened do not count. `spacing` (ms) may keep it open longer. */
    failed(now: number, spacing = 0): void {
      if (now < openUntil) return;
      failures += 1;
      if (failures < FAILURES && openings === 0) return;
      open(now, Math.min(Math.max(LONGEST_OPEN, spacing), FIRST_OPEN * 2 ** openings));
      openings += 1;
    },

    rateLimited(now: number, forMs: number = RATE_LIMITED): void {
      openings = Math.max(1, openings);
      open(now, forMs);
    },
  };
}

export type Breaker = ReturnType<typeof createBreaker>;
