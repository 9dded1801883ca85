import { hashed } from '../noise.ts';
import { lastPricedAt, sandboxToken } from '../tokens.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../upstream.ts';
import { type Figures, figuresAt, listed, placeOf } from './price-model.ts';

export type ChartInterval = 'minute' | 'hour' | 'day';
export type Window = { from: number; to: number };
type Column = [at: number, value: number | string | null][];
export type Chart = { prices: Column; market_caps: Column; total_volumes: Column };

/** How long after midnight the midnight sample is published, in ms. */
const DAY_PUBLISHED_AFTER = 35 * MINUTE;

/** `minute` for up to one day that ends now; `hour` for up to 90 days; `day` for longer or with `interval=daily`. */
export function chartInterval(window: Window, now: number, interval: string | null): ChartInterval {
  const span = window.to - window.from;
  if (interval === 'daily' || span > 90 * DAY) return 'day';
  return span > DAY || window.to < now - 5 * MINUTE ? 'hour' : 'minute';
}

// A hash determines each sample's offset in its slot. The spread matches recorded responses. Five-minute samples are
// 110 to 490 s apart. Hourly samples are 700 to 6440 s apart, and most are in the first minutes of the hour.
const SLOTS: Record<ChartInterval, { every: number; offset(draw: number): number }> = {
  minute: { every: 5 * MINUTE, offset: (draw) => Math.floor((100 + 190 * draw) * SECOND) },
  hour: { every: HOUR, offset: (draw) => Math.floor((60 + 2840 * draw ** 3) * SECOND) },
  day: { every: DAY, offset: () => 0 },
};
const JITTER_LANES = { minute: 1_000, hour: 2_000, day: 3_000 };

/** The times (Unix ms, ascending) of the samples in the window that have been published by `now`. */
function sampleTimes(
  seed: number,
  token: string,
  interval: ChartInterval,
  { from, to }: Window,
  now: number,
): number[] {
  const { every, offset } = SLOTS[interval];
  const lane = JITTER_LANES[interval] + placeOf(token);
  const first = Math.max(from, listed(token));
  const last = Math.min(to, lastPricedAt(token), interval === 'day' ? now - DAY_PUBLISHED_AFTER : now);
  const times: number[] = [];
  for (let slot = Math.floor(first / every); slot * every <= last; slot++) {
    const at = slot * every + offset(hashed(seed, lane, slot));
    if (at >= first && at <= last) times.push(at);
  }
  return times;
}

/** The latest midnight (Unix ms) whose sample has been published by `now`. */
export const publishedMidnight = (now: number): number => Math.floor((now - DAY_PUBLISHED_AFTER) / DAY) * DAY;

// Gaps in CoinGecko's daily series.
const MISSING: Readonly<Record<string, number>> = {
  ethereum: Date.parse('2015-08-09'),
  'delisted-coin': Date.parse('2026-02-10'),
};
const NULL_CAP: Readonly<Record<string, number>> = {
  bitcoin: Date.parse('2017-04-02'),
  ethereum: Date.parse('2017-04-02'),
};
const ZERO_CAP_UNTIL: Readonly<Record<string, number>> = {
  ethereum: Date.parse('2015-08-08'),
  'usd-coin': Date.parse('2018-10-17'),
};

/** As in CoinGecko's data, some samples are missing or have a market cap of null or 0. */
export function dailySample(
  seed: number,
  token: string,
  midnight: number,
): (Omit<Figures, 'marketCap'> & { marketCap: number | null }) | null {
  const figures = figuresAt(seed, token, midnight);
  if (!figures || midnight === MISSING[token]) return null;
  if (midnight === NULL_CAP[token]) return { ...figures, marketCap: null };
  return midnight < (ZERO_CAP_UNTIL[token] ?? 0) ? { ...figures, marketCap: 0 } : figures;
}

/** Like real charts, has arrays of unequal length, nulls, figures as strings, and an older last sample. */
function oddChart({ prices, market_caps, total_volumes }: Chart): Chart {
  const last = prices.at(-1);
  const previous = prices.at(-2);
  return {
    prices: last && previous ? [...prices.slice(0, -1), [previous[0] - 955, last[1]]] : prices,
    market_caps: market_caps.map(([at, cap], place) => [
      at,
      place % 7 === 3 ? null : place % 7 === 5 ? String(cap) : cap,
    ]),
    total_volumes: total_volumes.slice(1),
  };
}

/** Figures are in US dollars. The last sample is the current price, which can be older than the sample before it. */
export function chartOf(seed: number, token: string, interval: ChartInterval, window: Window, now: number): Chart {
  const chart: Chart = { prices: [], market_caps: [], total_volumes: [] };
  const { oddity } = sandboxToken(token) ?? {};
  if (oddity?.isUnpriced) return chart;
  const add = (at: number, sample: ReturnType<typeof dailySample>) => {
    if (!sample) return;
    chart.prices.push([at, sample.price]);
    chart.market_caps.push([at, sample.marketCap]);
    chart.total_volumes.push([at, sample.volume]);
  };
  const sampled = interval === 'day' ? dailySample : figuresAt;
  for (const at of sampleTimes(seed, token, interval, window, now)) add(at, sampled(seed, token, at));
  const latest = Math.floor(now / SECOND) * SECOND;
  if (window.from <= latest && window.to >= latest && latest <= lastPricedAt(token))
    add(latest, figuresAt(seed, token, latest));
  return oddity ? oddChart(chart) : chart;
}
