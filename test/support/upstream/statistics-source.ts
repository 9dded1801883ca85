import type { StatisticsOptions } from '#statistics/sources/source';
import type { StatisticsSource, StatisticsSymbol } from '#statistics/statistics-sources';
import { createTestClock } from '../../../fixtures/clock.ts';
import type { Script, UpstreamServer } from './upstream-server.ts';

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

/** A sample of a token from a source whose upstream responds as scripted. `path` is that of the source's base URL. */
export async function sampleFrom(
  upstream: UpstreamServer,
  [open, symbol, path = '']: [open: (options: StatisticsOptions) => StatisticsSource, StatisticsSymbol, path?: string],
  script: Script,
) {
  upstream.follow(script);
  const source = openTestStatistics(open, `${upstream.url}${path}`);
  try {
    return await source.sample(symbol);
  } finally {
    await source.close();
  }
}
