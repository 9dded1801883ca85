import type { TokenName } from '#catalogue/token';
import { startOfDate } from '#core/clock';
import { isMidnightSample, slotOf } from './interval.ts';
import type { MarketSourceName } from './market-sources.ts';
import { type LatestPrice, latestPrice } from './records.ts';

/** `at` is in Unix ms. Figures are in USD, or null if the source does not provide them. */
export type Sample = { at: number; price: number | null; marketCap: number | null; volume: number | null };
export type SourcedSample = Sample & { source: MarketSourceName };

/** The latest price of a token (USD) and the time of its sample (Unix ms). */
export type Quote = {
  token: TokenName;
  price: number;
  at: number;
  /** Figures that the source does not provide are null. */
  record?: LatestPrice;
};

export const NO_FIGURES = Object.fromEntries(Object.keys(latestPrice.shape).map((name) => [name, null])) as {
  [Member in keyof typeof latestPrice.shape]: null;
};

/**
 * Returns the row of each date, and the last sample if it is not at midnight. A date's row is its first sample. If
 * this first sample is not at midnight, the date must be over. `samples` must be in ascending order.
 */
export function splitDaily(samples: readonly Sample[]): { days: Sample[]; trailing: Sample | undefined } {
  const last = samples.at(-1);
  const trailing = last && last.at !== startOfDate(last.at) ? last : undefined;
  const rows = trailing ? samples.slice(0, -1) : samples;
  const isOver = (at: number) => last !== undefined && startOfDate(at) < startOfDate(last.at);
  const days = firstOfEach('day', rows).filter(({ at }) => isMidnightSample(at) || isOver(at));
  return { days, trailing };
}

export function firstOfEach(interval: 'hour' | 'day', samples: readonly Sample[]): Sample[] {
  let slot = Number.NaN;
  return samples.filter(({ at }) => {
    const mine = slotOf(interval, at);
    const first = mine !== slot;
    slot = mine;
    return first;
  });
}
