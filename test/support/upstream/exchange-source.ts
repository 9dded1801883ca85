import { createCatalogue } from '#catalogue/catalogue';
import { coinbase } from '#prices/sources/coinbase';
import type { Exchange } from '#prices/sources/exchange';
import { kraken } from '#prices/sources/kraken';
import type { UntradedPair } from '#prices/sources/listed-pairs';
import { openExchange } from '#prices/sources/open-exchange';
import { createBreaker } from '#upstream/circuit-breaker';
import type { Dropped } from '#upstream/items/items';
import { createTestClock } from '../../../fixtures/clock.ts';
import { builtIn } from '../../../fixtures/tokens.ts';

type Options = {
  timeoutMs?: number;
  /** The pairs of tokens, if they differ from the defaults. */
  pairs?: Readonly<Record<string, string>>;
  /** Other tokens than the built-in ones. */
  catalogue?: ReturnType<typeof createCatalogue>;
  /** The calls that the budget has left; unlimited by default. */
  calls?: number;
  now?: string;
};

/** An exchange in isolation: a fixed clock, a budget, and its reports. */
function openTestExchange(exchange: Exchange, url: string, options: Options = {}) {
  const { timeoutMs = 20_000, pairs = {}, now = '2026-05-15T14:10:06Z' } = options;
  let left = options.calls ?? Number.POSITIVE_INFINITY;
  const pairOf = (name: string) => (name in pairs ? { [exchange.name]: pairs[name] as string } : {});
  const {
    catalogue = createCatalogue(
      builtIn.all().map((token) => ({ ...token, pairs: { ...token.pairs, ...pairOf(token.name) } })),
    ),
  } = options;
  const clock = createTestClock(now);
  const outcomes: string[] = [];
  const dropped: Parameters<Dropped>[0][] = [];
  const untraded: UntradedPair[] = [];
  const source = openExchange(exchange, {
    url,
    timeoutMs,
    catalogue,
    clock,
    breaker: createBreaker(),
    reserve: async () => left-- > 0,
    reserveHistory: async () => left-- > 0,
    callSpacing: () => 0,
    dropped: (samples) => void dropped.push(samples),
    untraded: (pair) => void untraded.push(pair),
    observe: (outcome) => void outcomes.push(outcome),
  });
  return { ...source, clock, outcomes, dropped, untraded };
}

export const openTestKraken = (url: string, options?: Options) => openTestExchange(kraken, url, options);
export const openTestCoinbase = (url: string, options?: Options) => openTestExchange(coinbase, url, options);
