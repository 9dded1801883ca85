import { HOUR, startOfDate } from '#domain/clock';
import { slotOf } from './interval.ts';

/** One sample of a token: `at` in Unix milliseconds, the figures in USD, null where the source has none. */
export type Sample = {
  at: number;
  price: number | null;
  marketCap: number | null;
  volume: number | null;
};

/** How late after midnight a sample may be and still be its date's row: the aggregator is minutes late at times. */
const LATE = HOUR;

/** Whether a sample of a daily series can be its date's row. */
export function isMidnightSample(at: number): boolean {
  return at - startOfDate(at) < LATE;
}

/**
 * Splits a daily series of the aggregator into the row of each date (its first sample) and the trailing sample of the
 * moment of the call.
 *
 * @param samples ascending
 */
export function splitDaily(samples: readonly Sample[]): { days: Sample[]; trailing: Sample | undefined } {
  const last = samples.at(-1);
  const trailing = last && last.at !== startOfDate(last.at) ? last : undefined;
  const rows = trailing ? samples.slice(0, -1) : samples;
  const midnights = rows.filter(({ at }) => isMidnightSample(at));
  return { days: firstOfEach('day', midnights), trailing };
}

/** The first sample of each slot. */
export function firstOfEach(interval: 'hour' | 'day', samples: readonly Sample[]): Sample[] {
  let slot = Number.NaN;
  return samples.filter(({ at }) => {
    const mine = slotOf(interval, at);
    const first = mine !== slot;
    slot = mine;
    return first;
  });
}
