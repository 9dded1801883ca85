import { type CoinGeckoPlan, openCoinGecko } from '../../src/sources/coingecko.ts';
import { createTestClock } from './clock.ts';

type Options = {
  timeoutMs?: number;
  plan?: CoinGeckoPlan;
  apiKey?: string;
  /** Calls that the budget has left; no end of them where left out. */
  calls?: number;
  now?: string;
};

/** The aggregator's source on its own: a clock that stands still, a budget, and how each call ended. */
export function openTestSource(url: string, options: Options = {}) {
  const { timeoutMs = 20_000, plan = 'public', apiKey, now = '2026-05-15T14:10:06Z' } = options;
  let left = options.calls ?? Number.POSITIVE_INFINITY;
  const clock = createTestClock(now);
  const outcomes: string[] = [];
  const source = openCoinGecko({
    url,
    plan,
    apiKey,
    timeoutMs,
    clock,
    reserve: async () => left-- > 0,
    interval: () => 0,
    observe: (outcome) => void outcomes.push(outcome),
  });
  return { ...source, clock, outcomes };
}
