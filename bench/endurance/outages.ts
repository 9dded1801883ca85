/** An interval on the clock of `performance.now()`. */
type Interval = { from: number; thru: number };

/** Records outages from `start` to `end`. Each outage counts for another `graceMs`, so that clients can reconnect. */
export function createOutages(graceMs: number) {
  const intervals: Interval[] = [];
  return {
    start(): void {
      intervals.push({ from: performance.now(), thru: Number.POSITIVE_INFINITY });
    },
    end(): void {
      const last = intervals.at(-1);
      if (last) last.thru = performance.now() + graceMs;
    },
    /** Whether an outage overlaps the interval. */
    overlaps: (from: number, thru: number): boolean =>
      intervals.some((interval) => interval.from <= thru && from <= interval.thru),
  };
}

export type Outages = ReturnType<typeof createOutages>;
