import type { TokenName } from '#catalogue/token';
import { startOfDate } from '#core/clock';
import { mapNames, memberNames } from '#core/names';
import { dayReady, intervalStart, midnightOf } from './interval.ts';
import type { MarketSourceName } from './market-sources.ts';
import { type LatestPrice, latestPrice, type MarketFigures } from './prices-records.ts';

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
  /** Further figures, which only CoinGecko provides. */
  market?: MarketFigures;
};

export const NO_FIGURES = mapNames(memberNames(latestPrice.shape), () => null);

/**
 * Returns the row of each date and, if the newest sample is not at midnight, that sample. A date's row is the sample
 * nearest to its midnight, stored at midnight. If a past date has no such sample, its row is its first sample, at the
 * sample's own time. The newest sample is a date's row only once the day is ready. `samples` must be in ascending
 * order; `now` is in Unix ms.
 */
export function splitDaily(samples: readonly Sample[], now: number): { days: Sample[]; trailing: Sample | undefined } {
  const last = samples.at(-1);
  const trailing = last && last.at !== startOfDate(last.at) ? last : undefined;
  const nearest = new Map<number, Sample>();
  const others = new Map<number, Sample>();
  for (const sample of samples) {
    const midnight = midnightOf(sample.at);
    const date = startOfDate(sample.at);
    if (midnight === undefined || now < (sample === trailing ? dayReady(midnight) : midnight)) {
      if (sample !== trailing && date < startOfDate(now) && !others.has(date)) others.set(date, sample);
      continue;
    }
    const other = nearest.get(midnight);
    if (!other || Math.abs(sample.at - midnight) < Math.abs(other.at - midnight)) nearest.set(midnight, sample);
  }
  const midnights = [...nearest].map(([at, sample]): Sample => ({ ...sample, at }));
  const rest = [...others].filter(([date]) => !nearest.has(date)).map(([, sample]) => sample);
  return { days: [...midnights, ...rest].sort((a, b) => a.at - b.at), trailing };
}

export function firstOfEach(interval: 'hour' | 'day', samples: readonly Sample[]): Sample[] {
  let slot = Number.NaN;
  return samples.filter(({ at }) => {
    const before = slot;
    slot = intervalStart(interval, at);
    return slot !== before;
  });
}
