import { openCoinGecko } from '#prices/sources/coingecko';
import type { CoinGeckoPlanName } from '#prices/sources/coingecko-plans';
import type { Dropped } from '#upstream/items/items';
import { createTestClock } from '../../../fixtures/clock.ts';
import { builtIn } from '../../../fixtures/tokens.ts';
import type { Script, UpstreamServer } from './upstream-server.ts';

type Options = {
  timeoutMs?: number;
  plan?: CoinGeckoPlanName;
  apiKey?: string;
  /** The calls that the budget has left; unlimited by default. */
  calls?: number;
  now?: string;
};

/** CoinGecko's source in isolation: a stopped clock, a budget, and the outcome of each call. */
export function openTestSource(url: string, options: Options = {}) {
  const { timeoutMs = 20_000, plan = 'public', apiKey, now = '2026-05-15T14:10:06Z' } = options;
  let left = options.calls ?? Number.POSITIVE_INFINITY;
  const clock = createTestClock(now);
  const outcomes: string[] = [];
  const dropped: Parameters<Dropped>[0][] = [];
  const source = openCoinGecko({
    url,
    plan,
    apiKey,
    timeoutMs,
    catalogue: builtIn,
    clock,
    reserve: async () => left-- > 0,
    callSpacing: () => 0,
    dropped: (samples) => void dropped.push(samples),
    observe: (outcome) => void outcomes.push(outcome),
  });
  return { ...source, clock, outcomes, dropped };
}

export type TestSource = ReturnType<typeof openTestSource>;

/** The result of a request to a source whose upstream responds as scripted. */
export async function requestFrom<T>(
  upstream: UpstreamServer,
  script: Script,
  send: (source: TestSource) => Promise<T>,
  options: Options = {},
): Promise<T> {
  upstream.follow(script);
  const source = openTestSource(upstream.url, options);
  try {
    return await send(source);
  } finally {
    await source.close();
  }
}
