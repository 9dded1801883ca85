/** An interval on the clock of `performance.now()`. */
type Interval = { from: number; thru: number };

/** When something was away: it is from `began` until `ended`, and for so many ms more while it is found again. */
export function createReclaimGuard(graceMs: number) {
  const intervals: Interval[] = [];
  return {
    began(): void {
      intervals.push({ from: performance.now(), thru: Number.POSITIVE_INFINITY });
    },
    ended(): void {
      const last = intervals.at(-1);
      if (last) last.thru = performance.now() + graceMs;
    },
    /** Whether it was away at any moment between two. */
    touch: (from: number, thru: number): boolean =>
      intervals.some((interval) => interval.from <= thru && from <= interval.thru),
  };
}

export type ReclaimGuard = ReturnType<typeof createReclaimGuard>;
