import type { StatisticsOptions } from '#statistics/sources/source';
import type { StatisticsSource } from '#statistics/statistics-sources';
import { createTestClock } from '../../../fixtures/clock.ts';

type Options = { timeoutMs?: number; calls?: number; now?: string };

/** A statistics source in isolation: a stopped clock, a budget, and the outcome of each call. */
export function openTestStatistics(
  open: (options: StatisticsOptions) => StatisticsSource,
  url: string,
  { timeoutMs = 20_000, calls = Number.POSITIVE_INFINITY, now = '2026-05-15T14:10:06.789Z' }: Options = {},
) {
  let left = calls;
  const clock = createTestClock(now);
  const outcomes: string[] = [];
  const source = open({
    url,
    timeoutMs,
    clock,
    reserve: async () => left-- > 0,
    callSpacing: () => 0,
    observe: (outcome) => void outcomes.push(outcome),
  });
  return { ...source, clock, outcomes };
}
