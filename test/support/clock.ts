import type { Clock } from '../../src/domain/clock.ts';

/** A clock that stands still until it is told to go on: `now` and `elapsed` go on together. */
export function createTestClock(start: string | number) {
  let now = new Date(start).getTime();
  let elapsed = 0;
  const clock = {
    now: () => now,
    elapsed: () => elapsed,
    advance(ms: number): void {
      now += ms;
      elapsed += ms;
    },
    /** Wall time is set, forward or back; monotonic time knows nothing of it. */
    set(ms: number): void {
      now += ms;
    },
    /** Goes on to an instant (ISO 8601, or Unix ms) that is not in the past. */
    goTo(instant: string | number): void {
      const ms = new Date(instant).getTime() - now;
      if (ms < 0) throw new RangeError('the clock does not go back');
      clock.advance(ms);
    },
  };
  return clock satisfies Clock;
}

export type TestClock = ReturnType<typeof createTestClock>;
