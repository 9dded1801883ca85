import { SECOND } from '#domain/clock';

/** The durations that are told apart, in seconds, each bound included: what is longer is beyond the last. */
export const WAIT_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** `counts` are of the waits up to each bound and above the one before, and at the end of those above them all. */
export type WaitsReading = { counts: readonly number[]; sum: number };

/** How long calls waited that had to wait, since the process started. */
export function createWaits() {
  const counts: number[] = Array.from({ length: WAIT_BOUNDS.length + 1 }, () => 0);
  let sum = 0;

  return {
    /** One waited for so many ms. */
    tell(ms: number): void {
      const seconds = ms / SECOND;
      const bound = WAIT_BOUNDS.findIndex((one) => seconds <= one);
      const bucket = bound < 0 ? WAIT_BOUNDS.length : bound;
      counts[bucket] = (counts[bucket] as number) + 1;
      sum += seconds;
    },

    reading: (): WaitsReading => ({ counts, sum }),
  };
}
