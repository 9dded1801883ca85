import { HOUR, MINUTE, SECOND } from '#core/clock';
import type { FailureCause } from './failure.ts';

/** The pause after a failed fetch, in ms: doubled with each failure in a row, up to the longest. */
const FIRST_PAUSE = SECOND;
const LONGEST_PAUSE = 5 * MINUTE;
/** The longest after an answer that was itself wrong: such do not open the upstream's circuit breaker. In ms. */
const LONGEST_PAUSE_OF_MALFORMED = HOUR;
const MALFORMED: ReadonlySet<FailureCause> = new Set(['unexpected', 'empty', 'refused', 'out_of_reach']);

/**
 * How long a thing is not fetched again, in ms.
 * @param times how often it failed in a row
 * @param cause of the last failure, where the upstream was it
 */
export function failurePause(times: number, cause: FailureCause | undefined): number {
  const longest = cause && MALFORMED.has(cause) ? LONGEST_PAUSE_OF_MALFORMED : LONGEST_PAUSE;
  return Math.min(longest, FIRST_PAUSE * 2 ** (times - 1));
}
