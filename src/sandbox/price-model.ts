import { DAY, MINUTE } from '#domain/clock';
import { listedAt, type TokenName } from '#domain/market/token';
import { hashed, valueNoise } from './noise.ts';
import { SANDBOX_TOKENS } from './tokens.ts';

/** US dollars; `marketCap` is `price` times the circulating supply of that moment. */
export type Figures = { price: number; marketCap: number; volume: number };

export type Extreme = { price: number; at: number };

/**
 * The economy of a token. The logarithm of the price goes from `first` (at the listing) to `settled`, the supply from
 * `issued` to `limit`, with the time constants `climb` and `issuance` in years. `volatility` is that of one day.
 */
type Economy = {
  price: { first: number; settled: number; climb: number; volatility: number } | 'pegged';
  supply: { issued: number; limit: number; issuance: number };
  turnover: number;
};

// Invented values of the right magnitude, taken from no provider.
const ECONOMIES: Readonly<Record<string, Economy>> = {
  bitcoin: {
    price: { first: 130, settled: 90_000, climb: 3.2, volatility: 0.03 },
    supply: { issued: 11_080_000, limit: 21_000_000, issuance: 5.43 },
    turnover: 0.03,
  },
  arweave: {
    price: { first: 1.2, settled: 9, climb: 0.8, volatility: 0.055 },
    supply: { issued: 33_000_000, limit: 66_000_000, issuance: 1.2 },
    turnover: 0.06,
  },
  ethereum: {
    price: { first: 1.6, settled: 3_000, climb: 1.8, volatility: 0.038 },
    supply: { issued: 72_100_000, limit: 122_000_000, issuance: 2.6 },
    turnover: 0.05,
  },
  solana: {
    price: { first: 0.9, settled: 140, climb: 0.7, volatility: 0.05 },
    supply: { issued: 8_000_000, limit: 700_000_000, issuance: 3.6 },
    turnover: 0.06,
  },
  'usd-coin': {
    price: 'pegged',
    supply: { issued: 12_000_000, limit: 110_000_000_000, issuance: 8 },
    turnover: 0.15,
  },
};

const YEAR = 365.25 * DAY;
const LANES = 64; // noise lanes per token: 0 to 31 for the price, 32 to 62 for the volume, the last for quotes
const PEG = 0.004; // the largest deviation of the stablecoin from one dollar

// Noise octaves from 3 minutes to about 2.3 years. The ratio is no whole number, so that they do not all meet at
// midnight. The amplitude grows with the root of the period, which makes the sum a random walk.
const OCTAVES = Array.from({ length: 14 }, (_, n) => {
  const period = 3 * MINUTE * 2.7 ** n;
  return { lane: n, period, swing: 0.7 * Math.sqrt(period / DAY) };
});
const VOLUME_OCTAVES = OCTAVES.slice(5, 11); // seven hours to four months: a 24 h total does not jump in minutes

// Computed once: a daily chart needs them thousands of times.
const LISTED = new Map(SANDBOX_TOKENS.all().map((token) => [token.name, listedAt(token)]));
const PLACES = new Map(SANDBOX_TOKENS.all().map(({ name }, place) => [name, place]));

/** When the price of a token begins (Unix ms). */
export const listed = (token: TokenName): number => LISTED.get(token) ?? Number.POSITIVE_INFINITY;
/** Which of the tokens it is, from 0. */
export const placeOf = (token: TokenName): number => PLACES.get(token) ?? -1;

function economyOf(token: TokenName): Economy {
  const economy = ECONOMIES[token];
  if (!economy) throw new RangeError(`there is no market of ${token}`);
  return economy;
}
const laneOf = (token: TokenName, lane: number) => placeOf(token) * LANES + lane;

/** The price in US dollars at `t` (Unix ms), or null before the token's listing. */
export function priceAt(seed: number, token: TokenName, t: number): number | null {
  const since = listed(token);
  if (t < since) return null;
  const { price } = economyOf(token);
  const base = laneOf(token, 0);
  let walk = 0;
  for (const { lane, period, swing } of OCTAVES) {
    walk += (price === 'pegged' ? 0.15 : swing) * valueNoise(seed, base + lane, t / period);
  }
  if (price === 'pegged') return 1 + PEG * Math.tanh(walk);
  const settled = Math.log(price.settled);
  const gap = settled - Math.log(price.first);
  const trend = settled - gap * Math.exp((since - t) / (price.climb * YEAR));
  return Math.exp(trend + price.volatility * walk);
}

/** Coins in circulation at `t`, a whole number that never falls; that of the listing before it. */
export function supplyAt(token: TokenName, t: number): number {
  const { issued, limit, issuance } = economyOf(token).supply;
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
  return { price, marketCap, volume: economyOf(token).turnover * marketCap * Math.exp(mood) };
}

/** The time of the newest quote up to `now`: there is one a minute, each at another second. */
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
