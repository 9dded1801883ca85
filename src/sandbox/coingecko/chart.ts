import { DAY, HOUR, MINUTE, SECOND } from '../domain/clock.ts';
import { listedAt, TOKEN_NAMES, type TokenName } from '../domain/token.ts';
import { type Figures, figuresAt } from './market.ts';
import { hashed } from './noise.ts';

export type ChartGrain = 'minute' | 'hour' | 'day';
export type Window = { from: number; to: number };
type Column = [at: number, value: number | null][];
export type Chart = { prices: Column; market_caps: Column; total_volumes: Column };

/** A day's midnight sample is published this long after it. */
export const DAY_PUBLISHED_AFTER = 35 * MINUTE;

/**
 * What the aggregator answers a window with: five-minute points for up to one day that ends now, hourly ones for
 * any other up to 90 days, daily ones above. `interval` overrides: `daily` always, `hourly` up to 100 days, `5m`
 * up to 10 days; anything else, or beyond those spans, is as if it were absent.
 */
export function chartGrain(window: Window, now: number, interval: string | null): ChartGrain {
  const span = window.to - window.from;
  if (interval === 'daily') return 'day';
  if (interval === 'hourly' && span <= 100 * DAY) return 'hour';
  if (interval === '5m' && span <= 10 * DAY) return 'minute';
  if (span > 90 * DAY) return 'day';
  return span > DAY || window.to < now - 5 * MINUTE ? 'hour' : 'minute';
}

// When within its slot a sample was taken, from a hash, so that asking later gives the same time. The spreads are
// those of recorded answers: gaps of 110 to 490 s between five-minute samples; most hourly samples in the first
// minutes of the hour and a few near its end, gaps of 700 to 6440 s.
const SLOTS: Record<ChartGrain, { every: number; offset(draw: number): number }> = {
  minute: { every: 5 * MINUTE, offset: (draw) => Math.floor((100 + 190 * draw) * SECOND) },
  hour: { every: HOUR, offset: (draw) => Math.floor((60 + 2840 * draw ** 3) * SECOND) },
  day: { every: DAY, offset: () => 0 },
};
const JITTER_LANES = { minute: 1_000, hour: 2_000, day: 3_000 };

/** The sample times (Unix ms, ascending) that lie in the window and are published at `now`. */
export function sampleTimes(
  seed: number,
  token: TokenName,
  grain: ChartGrain,
  { from, to }: Window,
  now: number,
): number[] {
  const { every, offset } = SLOTS[grain];
  const lane = JITTER_LANES[grain] + TOKEN_NAMES.indexOf(token);
  const first = Math.max(from, listedAt(token));
  const last = Math.min(to, grain === 'day' ? now - DAY_PUBLISHED_AFTER : now);
  const times: number[] = [];
  for (let slot = Math.floor(first / every); slot * every <= last; slot++) {
    const at = slot * every + offset(hashed(seed, lane, slot));
    if (at >= first && at <= last) times.push(at);
  }
  return times;
}

/** The newest midnight (Unix ms) whose daily sample is published at `now`. */
export function publishedMidnight(now: number): number {
  return Math.floor((now - DAY_PUBLISHED_AFTER) / DAY) * DAY;
}

// Holes that the aggregator's own daily series have.
const MISSING: Partial<Record<TokenName, number>> = { ethereum: Date.parse('2015-08-09') };
const NULL_CAP: Partial<Record<TokenName, number>> = {
  bitcoin: Date.parse('2017-04-02'),
  ethereum: Date.parse('2017-04-02'),
};
const ZERO_CAP_UNTIL: Partial<Record<TokenName, number>> = {
  ethereum: Date.parse('2015-08-08'),
  'usd-coin': Date.parse('2018-10-17'),
};

/** One daily sample as the aggregator has it: absent on a missing day, its cap null or 0 where that is so. */
export function dailySample(
  seed: number,
  token: TokenName,
  midnight: number,
): (Omit<Figures, 'marketCap'> & { marketCap: number | null }) | null {
  const figures = figuresAt(seed, token, midnight);
  if (!figures || midnight === MISSING[token]) return null;
  if (midnight === NULL_CAP[token]) return { ...figures, marketCap: null };
  return midnight < (ZERO_CAP_UNTIL[token] ?? 0) ? { ...figures, marketCap: 0 } : figures;
}

/**
 * The three columns of a window, times in Unix ms, values in US dollars. Where the window reaches `now` a last
 * sample of that moment follows, cut to the second: so it can be earlier than the one before it, as recorded.
 */
export function chartOf(
  seed: number,
  token: TokenName,
  grain: ChartGrain,
  window: Window,
  now: number,
): Chart {
  const chart: Chart = { prices: [], market_caps: [], total_volumes: [] };
  const add = (at: number, sample: ReturnType<typeof dailySample>) => {
    if (!sample) return;
    chart.prices.push([at, sample.price]);
    chart.market_caps.push([at, sample.marketCap]);
    chart.total_volumes.push([at, sample.volume]);
  };
  const sampled = grain === 'day' ? dailySample : figuresAt;
  for (const at of sampleTimes(seed, token, grain, window, now)) add(at, sampled(seed, token, at));
  const latest = Math.floor(now / SECOND) * SECOND;
  if (window.from <= latest && window.to >= latest) add(latest, figuresAt(seed, token, latest));
  return chart;
}
