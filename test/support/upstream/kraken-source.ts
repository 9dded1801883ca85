import { createCatalogue } from '#catalogue/catalogue';
import type { Dropped } from '#prices/sources/dropped-samples';
import { openKrakenSource } from '#prices/sources/kraken';
import type { UntradedPair } from '#prices/sources/kraken-wire';
import { createTestClock } from '../../../fixtures/clock.ts';
import { builtIn } from '../../../fixtures/tokens.ts';

type Options = {
  timeoutMs?: number;
  /** The pairs of tokens, if they differ from the defaults. */
  pairs?: Readonly<Record<string, string>>;
  /** The calls that the budget has left; unlimited by default. */
  calls?: number;
  now?: string;
};

/** Kraken's source in isolation: a fixed clock, a budget, and its reports. */
export function openTestKraken(url: string, options: Options = {}) {
  const { timeoutMs = 20_000, pairs = {}, now = '2026-05-15T14:10:06Z' } = options;
  let left = options.calls ?? Number.POSITIVE_INFINITY;
  const catalogue = createCatalogue(
    builtIn.all().map((token) => ({ ...token, pair: pairs[token.name] ?? token.pair })),
  );
  const clock = createTestClock(now);
  const outcomes: string[] = [];
  const dropped: Parameters<Dropped>[0][] = [];
  const untraded: UntradedPair[] = [];
  const source = openKrakenSource({
    url,
    timeoutMs,
    catalogue,
    clock,
    reserve: async () => left-- > 0,
    callSpacing: () => 0,
    dropped: (samples) => void dropped.push(samples),
    untraded: (pair) => void untraded.push(pair),
    observe: (outcome) => void outcomes.push(outcome),
  });
  return { ...source, clock, outcomes, dropped, untraded };
}
