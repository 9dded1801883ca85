import { DAY, MINUTE } from '../domain/clock.ts';
import { listedAt, TOKEN_NAMES, type TokenName } from '../domain/token.ts';
import { hashed, valueNoise } from './noise.ts';

/** US dollars; `marketCap` is `price` times the circulating supply of that moment. */
export type Figures = { price: number; marketCap: number; volume: number };

export type Extreme = { price: number; at: number };

/**
 * A token's economy. Price climbs in the logarithm from `first` (at the listing) towards `settled`, supply from
 * `issued` towards `limit`, each with its own time constant in years. `volatility` is that of one day.
 */
type Economy = {
  first: number;
  settled: number;
  climb: number;
  volatility: number;
  issued: number;
  limit: number;
  issuance: number;
  turnover: number;
  pegged?: true;
};

// Invented figures of the right magnitude: no provider's data is in here.
const ECONOMIES: Record<TokenName, Economy> = {
  bitcoin: {
    ...{ first: 130, settled: 90_000, climb: 3.2, volatility: 0.03 },
    ...{ issued: 11_080_000, limit: 21_000_000, issuance: 5.43, turnover: 0.03 },
  },
  arweave: {
    ...{ first: 1.2, settled: 9, climb: 0.8, volatility: 0.055 },
    ...{ issued: 33_000_000, limit: 66_000_000, issuance: 1.2, turnover: 0.06 },
  },
  ethereum: {
    ...{ first: 1.6, settled: 3_000, climb: 1.8, volatility: 0.038 },
    ...{ issued: 72_100_000, limit: 122_000_000, issuance: 2.6, turnover: 0.05 },
  },
  solana: {
    ...{ first: 0.9, settled: 140, climb: 0.7, volatility: 0.05 },
    ...{ issued: 8_000_000, limit: 700_000_000, issuance: 3.6, turnover: 0.06 },
  },
  'usd-coin': {
    ...{ first: 1, settled: 1, climb: 1, volatility: 0, pegged: true as const },
    ...{ issued: 12_000_000, limit: 110_000_000_000, issuance: 8, turnover: 0.15 },
  },
};

const YEAR = 365.25 * DAY;
const LANES = 64; // lanes of noise per token: 0 to 31 for the price, 32 to 62 for the volume, the last for quotes
const PEG = 0.004; // the farthest the stable coin strays from one dollar

// Octaves from 3 minutes to about 2.3 years. The ratio is no whole number, so that their knots do not coincide
// at midnights; an amplitude that grows with the root of the period makes the sum move like a random walk.
const OCTAVES = Array.from({ length: 14 }, (_, n) => {
  const period = 3 * MINUTE * 2.7 ** n;
  return { lane: n, period, swing: 0.7 * Math.sqrt(period / DAY) };
});
const VOLUME_OCTAVES = OCTAVES.slice(5, 11); // seven hours to four months: a 24 h total does not jump in minutes

// Reckoned once: a daily chart asks for them thousands of times.
const LISTED = new Map(TOKEN_NAMES.map((token) => [token, listedAt(token)]));
const FIRST_LANE = new Map(TOKEN_NAMES.map((token, place) => [token, place * LANES]));
const listed = (token: TokenName) => LISTED.get(token) ?? Number.POSITIVE_INFINITY;
const laneOf = (token: TokenName, lane: number) => (FIRST_LANE.get(token) ?? 0) + lane;

/** The price in US dollars at `t` (Unix ms), or null before the token's listing. */
export function priceAt(seed: number, token: TokenName, t: number): number | null {
  const since = listed(token);
  if (t < since) return null;
  const economy = ECONOMIES[token];
  const base = laneOf(token, 0);
  let walk = 0;
  for (const { lane, period, swing } of OCTAVES) {
    walk += (economy.pegged ? 0.15 : swing) * valueNoise(seed, base + lane, t / period);
  }
  if (economy.pegged) return 1 + PEG * Math.tanh(walk);
  const settled = Math.log(economy.settled);
  const gap = settled - Math.log(economy.first);
  const trend = settled - gap * Math.exp((since - t) / (economy.climb * YEAR));
  return Math.exp(trend + economy.volatility * walk);
}

/** Coins in circulation at `t`, a whole number that never falls; that of the listing before it. */
export function supplyAt(token: TokenName, t: number): number {
  const { issued, limit, issuance } = ECONOMIES[token];
  const years = Math.max(0, t - listed(token)) / YEAR;
  return Math.floor(limit - (limit - issued) * Math.exp(-years / issuance));
}

/** Price, market cap and 24 h volume at `t` (Unix ms), or null before the token's listing. */
export function figuresAt(seed: number, token: TokenName, t: number): Figures | null {
  const price = priceAt(seed, token, t);
  if (price === null) return null;
  const marketCap = price * supplyAt(token, t);
  const base = laneOf(token, 32);
  let mood = 0;
  for (const { lane, period } of VOLUME_OCTAVES) mood += 0.35 * valueNoise(seed, base + lane, t / period);
  return { price, marketCap, volume: ECONOMIES[token].turnover * marketCap * Math.exp(mood) };
}

/** The moment of the newest quote at or before `now`: one a minute, at a second of its own. */
export function quotedAt(seed: number, token: TokenName, now: number): number {
  const timeOf = (slot: number) =>
    slot * MINUTE + Math.floor(hashed(seed, laneOf(token, LANES - 1), slot) * MINUTE);
  const slot = Math.floor(now / MINUTE);
  return timeOf(slot) <= now ? timeOf(slot) : timeOf(slot - 1);
}

/**
 * The highest and lowest price, and when: over every midnight (UTC) from the listing up to `midnight`, and the
 * one sample at `t`. Null before the listing.
 */
export function extremesAt(
  seed: number,
  token: TokenName,
  midnight: number,
  t: number,
): { high: Extreme; low: Extreme } | null {
  const price = priceAt(seed, token, t);
  if (price === null) return null;
  let high = { price, at: t };
  let low = high;
  for (let at = listed(token); at <= midnight; at += DAY) {
    const then = priceAt(seed, token, at) ?? price;
    if (then > high.price) high = { price: then, at };
    if (then < low.price) low = { price: then, at };
  }
  return { high, low };
}
